import { CircleCheck, Hourglass, ListChecks } from "lucide";
import type { ComponentChildren, JSX } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { CardCommand } from "../chat/cards/Approval";
import type { Decide } from "../chat/cards/useDecision";
import type { InboxPage, InboxRow, InboxTab, QuestionDetail } from "../generated/wire";
import { asApiError, get, post } from "../shared/api";
import { useMedia, useTick } from "../shared/hooks";
import { Icon } from "../shared/Icon";
import { Socket, socketUrl } from "../shared/socket";
import { t, type StringKey } from "../shared/strings";
import type { InboxBoot } from "../generated/wire";
import { Detail } from "./Detail";
import { List } from "./List";

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

const EMPTY_ICON = { mine: CircleCheck, others: Hourglass, decided: ListChecks } as const;

/** An inbox that is asked for many pokes at once reads the list once. */
const GATHER = 150;

export function Inbox({ boot }: { boot: InboxBoot }): JSX.Element {
  const [tab, setTab] = useState<InboxTab>(boot.tab);
  const [page, setPage] = useState<InboxPage>(boot.page);
  const [filter, setFilter] = useState<InboxRow["kind"] | "all">("all");
  const [chosen, setChosen] = useState<string | null>(boot.question);
  const [detail, setDetail] = useState<QuestionDetail | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const [lost, setLost] = useState(false);
  const [command, setCommand] = useState<CardCommand | undefined>();
  const narrow = useMedia("(max-width: 900px)");
  const tabNow = useRef(tab);
  tabNow.current = tab;
  useTick(30_000);

  const rows = page.rows.filter((row) => filter === "all" || row.kind === filter);
  const kinds = new Set(page.rows.map((row) => row.kind));

  const readList = useCallback(async (which: InboxTab) => {
    try {
      const next = await get<InboxPage>(`/api/inbox?tab=${which}`);
      if (tabNow.current === which) setPage(next);
    } catch (thrown) {
      if (asApiError(thrown).status === 401) location.reload();
    }
  }, []);

  const readDetail = useCallback(async (question: string, quiet = false) => {
    if (!quiet) setFailed(null);
    try {
      const next = await get<QuestionDetail>(`/api/questions/${question}`);
      setDetail((now) => (quiet && now?.row.question !== question ? now : next));
    } catch (thrown) {
      if (!quiet) setFailed(asApiError(thrown).message);
    }
  }, []);

  const chosenNow = useRef(chosen);
  chosenNow.current = chosen;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poke = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        void readList(tabNow.current);
        if (chosenNow.current) void readDetail(chosenNow.current, true);
      }, GATHER);
    };
    const socket = new Socket({
      url: () => socketUrl("/ws/inbox"),
      onMessage: poke,
      onLink: (link) => setLost(link === "lost"),
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
    if (!chosen) return setDetail(null);
    if (detail?.row.question !== chosen) {
      setDetail(null);
      void readDetail(chosen);
    }
  }, [tab, chosen]);

  const choose = (which: InboxTab) => {
    setTab(which);
    setFilter("all");
    setChosen(null);
    setPage({ ...page, rows: [] });
    tabNow.current = which;
    void readList(which);
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
      else if (key === "a" || key === "d") setCommand((now) => ({ name: key === "a" ? "approve" : "decline", n: (now?.n ?? 0) + 1 }));
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  const decide: Decide = async (body, key) => {
    if (!chosen) return null;
    try {
      await post(`/api/questions/${chosen}/answer`, { ...body, key });
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.status !== 409) return error;
      void readDetail(chosen, true);
      void readList(tab);
      return error;
    }
    await readDetail(chosen, true);
    void readList(tab);
    return null;
  };

  const filters = FILTERS.filter(([kind]) => kind === "all" || kinds.has(kind));
  const showsCase = !narrow || chosen !== null;
  return (
    <div class={narrow && chosen ? "inbox inbox-open" : "inbox"}>
      {narrow && chosen ? null : (
        <section class="inbox-list">
          <div class="tabs inbox-tabs" role="tablist" aria-label={t("inbox.tabs")}>
            {TABS.map(([which, label]) => (
              <button key={which} type="button" role="tab" class="tab" aria-selected={tab === which} onClick={() => choose(which)}>
                {t(label)}
                {which === "decided" || !page.counts[which] ? null : <span class="inbox-count">{page.counts[which]}</span>}
              </button>
            ))}
          </div>
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
          ) : (
            <Nothing tab={tab} small={!narrow} />
          )}
          <p class="inbox-keys" aria-hidden="true">
            <kbd class="kbd">J</kbd> <kbd class="kbd">K</kbd> {t("inbox.keysMove")} <kbd class="kbd">A</kbd> <kbd class="kbd">D</kbd> {t("inbox.keysDecide")}
          </p>
        </section>
      )}
      {showsCase ? (
        <section class="inbox-case" aria-live="off">
          {failed ? (
            <Middle>
              <p>{t("inbox.detailFailed")}</p>
              <p class="muted small">{failed}</p>
              <button type="button" class="btn" onClick={() => (chosen ? void readDetail(chosen) : undefined)}>
                {t("shared.retry")}
              </button>
            </Middle>
          ) : detail && chosen ? (
            <Detail key={detail.row.question} detail={detail} decide={decide} command={command} onBack={narrow ? () => setChosen(null) : undefined} />
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
