import "./words";
import { CircleCheck, Hourglass, ListChecks } from "lucide";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { CardCommand } from "../chat/cards/Approval";
import type { Decide } from "../chat/cards/useDecision";
import type { InboxBoot, InboxRow, InboxTab } from "../generated/wire";
import { asApiError, post } from "../shared/api";
import { useMedia, useTick } from "../shared/hooks";
import { Icon } from "../shared/Icon";
import { SignInLink } from "../shared/SignInLink";
import { Socket, socketUrl } from "../shared/socket";
import { t, type StringKey } from "../shared/strings";
import { tabId, Tabs } from "../shared/Tabs";
import { Back, Detail } from "./Detail";
import { List } from "./List";
import { useDetail } from "./useDetail";
import { useList } from "./useList";

const TABS: [InboxTab, StringKey][] = [
  ["mine", "inbox.mine"],
  ["others", "inbox.others"],
  ["decided", "inbox.decided"],
];

const FILTERS: [InboxRow["kind"] | "all", StringKey][] = [
  ["all", "inbox.all"],
  ["approval", "inbox.approvals"],
  ["form", "inbox.forms"],
  ["ask", "inbox.asks"],
  ["outcome", "inbox.outcomes"],
];

const EMPTY: Record<InboxTab, [StringKey, StringKey]> = {
  mine: ["inbox.emptyMine", "inbox.emptyMineHelp"],
  others: ["inbox.emptyOthers", "inbox.emptyOthersHelp"],
  decided: ["inbox.emptyDecided", "inbox.emptyDecidedHelp"],
};

const ENDED: { [code: number]: StringKey } = { 4401: "chat.signedOut", 4423: "inbox.locked" };

const EMPTY_ICON = { mine: CircleCheck, others: Hourglass, decided: ListChecks } as const;

/** An inbox that is asked for many pokes at once reads the list once. */
const GATHER = 150;

export function Inbox({ boot }: { boot: InboxBoot }): JSX.Element {
  const [filter, setFilter] = useState<InboxRow["kind"] | "all">("all");
  const [chosen, setChosen] = useState<string | null>(boot.question);
  const [lost, setLost] = useState(false);
  /** The code with which the server ended the connection for good. */
  const [ended, setEnded] = useState<number | null>(null);
  const [command, setCommand] = useState<CardCommand | undefined>();
  const list = useList(boot.tab, boot.page, () => setEnded(4401));
  const { detail, failed, read: readDetail } = useDetail(chosen);
  const { tab } = list;
  const narrow = useMedia("(max-width: 900px)");
  const panel = useId();
  useTick(30_000);

  const known = list.rows ?? [];
  const rows = known.filter((row) => filter === "all" || row.kind === filter);
  const kinds = new Set(known.map((row) => row.kind));

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poke = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        void list.read();
        void readDetail();
      }, GATHER);
    };
    const socket = new Socket({
      url: () => socketUrl("/ws/inbox"),
      onMessage: poke,
      onLink: (link, code) => {
        setLost(link === "lost");
        if (link === "ended") setEnded(code ?? 4403);
      },
      onResumed: poke,
    });
    return () => {
      clearTimeout(timer);
      socket.close();
    };
  }, []);

  // Beside a list there is always a question open; on a phone the list comes first.
  useEffect(() => {
    if (narrow || !rows.length) return;
    if (!chosen) setChosen(rows[0]!.question);
  }, [narrow, rows[0]?.question, chosen]);

  useEffect(() => {
    const url = new URL(location.href);
    url.searchParams.set("tab", tab);
    if (chosen) url.searchParams.set("q", chosen);
    else url.searchParams.delete("q");
    history.replaceState(null, "", url.href);
    setCommand(undefined);
  }, [tab, chosen]);

  const choose = (which: InboxTab) => {
    setFilter("all");
    setChosen(null);
    list.choose(which);
  };

  const move = (by: number) => {
    const at = rows.findIndex((row) => row.question === chosen);
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next) setChosen(next.question);
  };

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.composedPath()[0];
      if (event.metaKey || event.ctrlKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))) return;
      const key = event.key.toLowerCase();
      if (key === "j") move(1);
      else if (key === "k") move(-1);
      // A card that is not drawn yet is decided by no key.
      else if ((key === "a" || key === "d") && detail) setCommand((now) => ({ name: key === "a" ? "approve" : "decline", n: (now?.n ?? 0) + 1 }));
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  /** Decides the question that is drawn, whatever was chosen since. */
  const decideOn = (question: string): Decide => async (body, key) => {
    try {
      await post(`/api/questions/${question}/answer`, { ...body, key });
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.status === 401) setEnded(error.code === "LOCKED" ? 4423 : 4401);
      if (error.status === 409) {
        void readDetail();
        void list.read();
      }
      return error;
    }
    await readDetail();
    void list.read();
    return null;
  };

  const filters = FILTERS.filter(([kind]) => kind === "all" || kinds.has(kind));
  const showsCase = !narrow || chosen !== null;
  const tabs = TABS.map(([key, label]) => ({
    key,
    title: (
      <>
        {t(label)}
        {key === "decided" || !list.counts[key] ? null : <span class="inbox-count">{list.counts[key]}</span>}
      </>
    ),
  }));
  return (
    <div class={narrow && chosen ? "inbox inbox-open" : "inbox"}>
      {ended !== null ? (
        <div class="link-strip link-ended" role="alert">
          {t(ENDED[ended] ?? "inbox.notAllowed")}
          <SignInLink />
        </div>
      ) : null}
      {narrow && chosen ? null : (
        <section class="inbox-list">
          <Tabs class="inbox-tabs" label={t("inbox.tabs")} tabs={tabs} chosen={tab} panel={panel} onChoose={choose} />
          <div class="inbox-panel" role="tabpanel" id={panel} aria-labelledby={tabId(panel, tab)} aria-busy={list.rows === null && !list.failed} tabIndex={rows.length ? undefined : 0}>
            {filters.length > 2 ? (
              <div class="chips inbox-filters" role="group" aria-label={t("inbox.filters")}>
                {filters.map(([kind, label]) => (
                  <button key={kind} type="button" class="chip" aria-pressed={filter === kind} onClick={() => setFilter(kind)}>
                    {t(label)}
                  </button>
                ))}
              </div>
            ) : null}
            {lost ? (
              <p class="inbox-lost" role="status">
                {t("chat.reconnecting")}
              </p>
            ) : null}
            {rows.length ? (
              <List rows={rows} chosen={chosen} tab={tab} onChoose={setChosen} />
            ) : list.rows ? (
              <Nothing tab={tab} small={!narrow} />
            ) : list.failed ? (
              <div class="inbox-nothing" role="alert">
                <b>{t("inbox.listFailed")}</b>
                <p>{list.failed}</p>
                <button type="button" class="btn" onClick={() => void list.read()}>
                  {t("shared.retry")}
                </button>
              </div>
            ) : (
              <ListSkeleton />
            )}
          </div>
          <p class="inbox-keys" aria-hidden="true">
            <kbd class="kbd">J</kbd> <kbd class="kbd">K</kbd> {t("inbox.keysMove")} <kbd class="kbd">A</kbd> <kbd class="kbd">D</kbd> {t("inbox.keysDecide")}
          </p>
        </section>
      )}
      {showsCase ? (
        <section class="inbox-case" aria-live="off">
          {failed ? (
            <Middle>
              {narrow ? <Back onBack={() => setChosen(null)} /> : null}
              <p>{t("inbox.detailFailed")}</p>
              <p class="muted small">{failed.message}</p>
              {failed.status === 401 ? (
                <SignInLink />
              ) : (
                <button type="button" class="btn" onClick={() => void readDetail()}>
                  {t("shared.retry")}
                </button>
              )}
            </Middle>
          ) : detail ? (
            <Detail
              key={detail.row.question}
              detail={detail}
              decide={decideOn(detail.row.question)}
              command={command}
              onBack={narrow ? () => setChosen(null) : undefined}
            />
          ) : chosen ? (
            <CaseSkeleton />
          ) : (
            <Middle>
              <p class="muted">{rows.length ? t("inbox.pick") : ""}</p>
            </Middle>
          )}
        </section>
      ) : null}
    </div>
  );
}

function Middle({ children }: { children: ComponentChildren }): JSX.Element {
  return <div class="inbox-middle">{children}</div>;
}

function Nothing({ tab, small }: { tab: InboxTab; small: boolean }): JSX.Element {
  const [title, help] = EMPTY[tab];
  return (
    <div class={small ? "inbox-nothing" : "inbox-nothing inbox-nothing-large"}>
      <span class="glyph">
        <Icon of={EMPTY_ICON[tab]} size={22} />
      </span>
      <b>{t(title)}</b>
      <p>{t(help)}</p>
    </div>
  );
}

function CaseSkeleton(): JSX.Element {
  return (
    <div class="case" aria-busy="true" aria-label={t("shared.loading")}>
      <span class="skeleton case-wait-title" />
      <span class="skeleton" style={{ inlineSize: "44%" }} />
      <span class="skeleton skeleton-block case-wait" />
      <span class="skeleton skeleton-block" />
    </div>
  );
}

function ListSkeleton(): JSX.Element {
  return (
    <div class="inbox-waits" aria-label={t("shared.loading")}>
      {[72, 54, 63].map((width) => (
        <span key={width} class="skeleton" style={{ inlineSize: `${width}%` }} />
      ))}
    </div>
  );
}
