/** @jsxImportSource react */
import { Eye, GitCompareArrows, History, MoreHorizontal, Rocket, RotateCcw, Undo2 } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useCallback, useEffect, useState, type ReactElement, type ReactNode } from "react";
import type { Versions, VersionRow, VersionText, WentLive } from "../../generated/runs";
import { asApiError, get } from "../../shared/api";
import { t } from "../../shared/strings";
import { ago, moment } from "../../shared/time";
import { editor } from "../store/editor";
import { store, useEditor } from "../store/state";
import { called, Diffing, Viewing, type Which } from "./Looking";
import { Lines } from "./Lines";
import { Relive, type Relived } from "./Relive";

const SETTLED = 400;

type Opened = { view: number } | { from: Which; to: Which } | { live: Relived } | null;

interface Read {
  found: Versions | null;
  failed: string;
  again: () => Promise<void>;
}

/** The versions, read again when the draft has rested for a moment. */
function useVersions(): Read {
  const id = useEditor((state) => state.id);
  const revision = useEditor((state) => state.revision);
  const [found, setFound] = useState<Versions | null>(null);
  const [failed, setFailed] = useState("");
  const again = useCallback(async () => {
    try {
      const read = await get<Versions>(`/api/flows/${id}/versions`);
      setFound(read);
      // The bar counts no more than it knows; here it is known.
      store.setState({ live: read.base, changes: read.changes.length });
      setFailed("");
    } catch (thrown) {
      setFailed(asApiError(thrown).message);
    }
  }, [id]);
  useEffect(() => {
    const timer = setTimeout(() => void again(), found === null ? 0 : SETTLED);
    return () => clearTimeout(timer);
  }, [again, revision]);
  return { found, failed, again };
}

/** What the draft changes, what was published, where it was live, and what still runs on it. */
export function VersionsPane(): ReactElement {
  const { found, failed, again } = useVersions();
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  return (
    <section className="ed-versions" aria-label={t("versions.title")}>
      <header className="ed-versions-head">
        <h2 className="heading">{t("versions.title")}</h2>
      </header>
      <div className="ed-versions-body">
        {failed ? <p className="notice notice-bad">{failed}</p> : null}
        {found ? (
          <>
            <Draft found={found} onOpen={setOpened} />
            <Published found={found} onOpen={setOpened} />
            <Unfinished found={found} />
            <WasLive found={found} onOpen={setOpened} />
          </>
        ) : failed ? null : (
          <div aria-busy="true" aria-label={t("shared.loading")}>
            <span className="skeleton skeleton-line" />
            <span className="skeleton skeleton-block" />
          </div>
        )}
      </div>
      {opened && "view" in opened ? <Viewing number={opened.view} onClose={close} /> : null}
      {opened && "from" in opened ? <Diffing from={opened.from} to={opened.to} onClose={close} /> : null}
      {opened && "live" in opened ? <Relive what={opened.live} onClose={close} onDone={again} /> : null}
    </section>
  );
}

interface PartProps {
  found: Versions;
  onOpen: (what: Opened) => void;
}

function Part({ title, lead, children }: { title: string; lead?: string; children: ReactNode }): ReactElement {
  return (
    <section className="ed-versions-part">
      <h3 className="overline">{title}</h3>
      {lead ? <p className="small muted">{lead}</p> : null}
      {children}
    </section>
  );
}

function Draft({ found, onOpen }: PartProps): ReactElement {
  const id = useEditor((state) => state.id);
  const { base, changes } = found;
  return (
    <Part title={t("versions.draft")}>
      <div className="ed-versions-draft">
        <p className="strong">
          {base === null
            ? t("versions.none")
            : !found.readable
              ? t("versions.unreadable")
              : changes.length
                ? t("versions.since", { count: changes.length, number: base })
                : t("versions.same")}
        </p>
        <p className="small muted">{base === null ? t("versions.noneLead") : t("versions.sinceAgent", { agent: found.baseAgent })}</p>
        {changes.length ? <Lines lines={changes} most={8} /> : null}
        <div className="row row-wrap">
          {base !== null && changes.length ? (
            <button type="button" className="btn btn-small" onClick={() => onOpen({ from: base, to: "draft" })}>
              <GitCompareArrows size={14} />
              {t("versions.compare")}
            </button>
          ) : null}
          {found.canPublish && (base === null || changes.length) ? (
            <a className="btn btn-small" href={`/flows/${id}/publish`}>
              <Rocket size={14} />
              {t("versions.publish")}
            </a>
          ) : null}
        </div>
      </div>
    </Part>
  );
}

function Published({ found, onOpen }: PartProps): ReactElement | null {
  if (!found.versions.length) return null;
  return (
    <Part title={t("versions.all")}>
      <ol className="ed-versions-list">
        {found.versions.map((row, at) => (
          <Row key={row.number} row={row} before={found.versions[at + 1]?.number ?? null} found={found} onOpen={onOpen} />
        ))}
      </ol>
      <Two found={found} onOpen={onOpen} />
    </Part>
  );
}

function Row({ row, before, found, onOpen }: PartProps & { row: VersionRow; before: number | null }): ReactElement {
  const { number } = row;
  const who = row.by ? t("versions.by", { name: row.by, when: ago(row.at) }) : ago(row.at);
  return (
    <li className="ed-version" data-version={number}>
      <button type="button" className="ed-version-open" onClick={() => onOpen({ view: number })}>
        <span className="ed-version-number num">v{number}</span>
        <span className="ed-version-words">
          <bdi className="ed-version-note">{row.note || called(number)}</bdi>
          <time className="ed-version-who" dateTime={row.at} title={moment(row.at)}>
            {who}
          </time>
          <span className="ed-version-badges">
            {row.live.length ? (
              <span className="badge badge-ok">
                <span className="dot dot-ok" />
                <bdi>{t("versions.liveAt", { agents: row.live.join(", ") })}</bdi>
              </span>
            ) : null}
            {row.waits ? <span className="badge badge-warn">{t("versions.waits", { count: row.waits })}</span> : null}
          </span>
        </span>
      </button>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="btn btn-ghost btn-icon btn-small" aria-label={t("versions.more", { number })} title={t("versions.more", { number })}>
          <MoreHorizontal size={15} />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="ed-menu" align="end" sideOffset={4}>
            <Choice icon={<Eye size={15} />} words={t("versions.view")} onChoose={() => onOpen({ view: number })} />
            <Choice icon={<GitCompareArrows size={15} />} words={t("versions.withDraft")} onChoose={() => onOpen({ from: number, to: "draft" })} />
            {before === null ? null : (
              <Choice icon={<GitCompareArrows size={15} />} words={t("versions.withBefore", { number: before })} onChoose={() => onOpen({ from: before, to: number })} />
            )}
            {found.canEdit ? <Choice icon={<Undo2 size={15} />} words={t("versions.restore")} onChoose={() => void restore(number)} /> : null}
            {found.canPublish
              ? row.wasLive.map((slug) => {
                  const agent = found.agents.find((one) => one.slug === slug)?.name ?? slug;
                  const words = found.agents.length > 1 ? t("versions.makeLiveAt", { agent }) : t("versions.makeLive");
                  return <Choice key={slug} icon={<RotateCcw size={15} />} words={words} onChoose={() => onOpen({ live: { number, slug, agent } })} />;
                })
              : null}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
    </li>
  );
}

function Choice({ icon, words, onChoose }: { icon: ReactNode; words: string; onChoose: () => void }): ReactElement {
  return (
    <DropdownMenu.Item className="menu-item" onSelect={onChoose}>
      {icon}
      {words}
    </DropdownMenu.Item>
  );
}

/** Puts a version into the draft, as an edit that can be undone. */
async function restore(number: number): Promise<void> {
  try {
    const { text } = await get<VersionText>(`/api/flows/${store.getState().id}/versions/${number}`);
    const done = await editor.edit(t("versions.restoreLabel", { number }), [{ op: "setDocument", text }]);
    if (done.ok) editor.notify(t("versions.restored", { number }), [], false);
  } catch (thrown) {
    editor.notify(asApiError(thrown).message);
  }
}

function Two({ found, onOpen }: PartProps): ReactElement | null {
  const newest = found.versions[0]?.number;
  const [from, setFrom] = useState<Which>(found.base ?? newest ?? "draft");
  const [to, setTo] = useState<Which>("draft");
  const names: Which[] = ["draft", ...found.versions.map((row) => row.number)];
  const choose = (set: (which: Which) => void) => (text: string) => set(text === "draft" ? "draft" : Number(text));
  return (
    <form
      className="ed-versions-two"
      aria-label={t("versions.compareTwo")}
      onSubmit={(event) => {
        event.preventDefault();
        onOpen({ from, to });
      }}
    >
      <Select label={t("versions.from")} value={from} names={names} onChoose={choose(setFrom)} />
      <span aria-hidden="true" className="muted">
        →
      </span>
      <Select label={t("versions.to")} value={to} names={names} onChoose={choose(setTo)} />
      <button type="submit" className="btn btn-small">
        {t("versions.compare")}
      </button>
    </form>
  );
}

function Select({ label, value, names, onChoose }: { label: string; value: Which; names: Which[]; onChoose: (text: string) => void }): ReactElement {
  return (
    <select className="select" aria-label={label} value={String(value)} onChange={(event) => onChoose(event.target.value)}>
      {names.map((name) => (
        <option key={name} value={String(name)}>
          {called(name)}
        </option>
      ))}
    </select>
  );
}

function Unfinished({ found }: { found: Versions }): ReactElement | null {
  const rows = found.agents.flatMap((agent) => agent.waits.map((wait) => ({ ...wait, agent })));
  if (!rows.length) return null;
  return (
    <Part title={t("versions.waiting")} lead={t("versions.waitingLead")}>
      <ul className="ed-versions-waits">
        {rows.map(({ agent, version, count, live }) => (
          <li key={`${agent.slug} ${version}`}>
            <bdi className="grow">{t("versions.waitingOn", { agent: agent.name, number: version })}</bdi>
            <span className={live ? "badge" : "badge badge-warn"}>{t("versions.waits", { count })}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function WasLive({ found, onOpen }: PartProps): ReactElement | null {
  if (!found.history.length) return null;
  return (
    <Part title={t("versions.history")}>
      {found.agents
        .filter((agent) => found.history.some((one) => one.slug === agent.slug))
        .map((agent) => (
          <div key={agent.slug} className="ed-versions-agent">
            {found.agents.length > 1 ? (
              <p className="small strong">
                <bdi>{agent.name}</bdi> <code className="muted">/a/{agent.slug}</code>
              </p>
            ) : null}
            <ol className="timeline">
              {found.history
                .filter((one) => one.slug === agent.slug)
                .map((one, at) => (
                  <Went key={at} one={one} found={found} onOpen={onOpen} live={agent.version === one.version} />
                ))}
            </ol>
          </div>
        ))}
    </Part>
  );
}

function Went({ one, found, onOpen, live }: PartProps & { one: WentLive; live: boolean }): ReactElement {
  const who = one.by ? t("versions.by", { name: one.by, when: ago(one.at) }) : ago(one.at);
  return (
    <li aria-current={one.now ? "true" : undefined} className="ed-versions-went">
      <span className="grow">
        <span className="num strong">v{one.version}</span>{" "}
        <time className="muted" dateTime={one.at} title={moment(one.at)}>
          {who}
        </time>
      </span>
      {one.now ? (
        <span className="badge badge-ok">{t("versions.now")}</span>
      ) : found.canPublish && !live ? (
        <button type="button" className="btn btn-ghost btn-small" onClick={() => onOpen({ live: { number: one.version, slug: one.slug, agent: one.agent } })}>
          <History size={13} />
          {t("versions.makeLive")}
        </button>
      ) : null}
    </li>
  );
}
