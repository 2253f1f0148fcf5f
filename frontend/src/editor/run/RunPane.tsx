/** @jsxImportSource react */
import { useReactFlow } from "@xyflow/react";
import { RefreshCw, Settings2, SquarePen } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactElement, type RefObject } from "react";
import type { SingleRun, Trace, Tried } from "../../generated/runs";
import { t } from "../../shared/strings";
import { bringInSight } from "../canvas/room";
import type { CanvasNode, LineEdge } from "../canvas/graph";
import { editor } from "../store/editor";
import { store, useEditor } from "../store/state";
import { Barriers } from "./Barriers";
import { Detail } from "./Detail";
import { DraftSettings } from "./DraftSettings";
import { NoModel } from "./NoModel";
import { Steps } from "./Steps";
import { keptTalk, useChat, type ChatFrame } from "./useChat";
import { useTrace } from "./useTrace";
import { useTry } from "./useTry";
import { cardOf } from "./view";

type Tab = "chat" | "steps" | "settings";

/** The real chat page on the draft, beside the canvas, and what its runs did. */
export function RunPane(): ReactElement {
  const id = useEditor((state) => state.id);
  const { tried, failed, busy, again } = useTry();
  const chat = useChat(id);
  const trace = useTrace(chat.report);
  const [tab, setTab] = useState<Tab>("chat");
  const [address, setAddress] = useState<string | null>(null);
  const look = (step: string | null) => {
    setAddress(step);
    setTab("steps");
  };
  const canvas = useReactFlow<CanvasNode, LineEdge>();
  const open = (step: string | null) => {
    look(step);
    const { flow, selection } = store.getState();
    const card = cardOf(flow, step ?? address ?? "");
    const chosen = selection.nodes.length === 1 && selection.nodes[0] === card;
    if (step === null) {
      // Back at all of them no step is meant; its card opens it again.
      if (chosen) editor.choose({});
    } else if (card !== null) {
      if (!chosen) editor.choose({ nodes: [card] });
      bringInSight(canvas, card);
    }
  };
  const show = (begun: SingleRun) => {
    chat.open(begun.conversation);
    setAddress(null);
    setTab("chat");
  };
  useChosenStep(trace, tab === "steps" ? address : null, look);
  const noModel = tried !== null && tried.model.needed && !tried.model.name;
  const changed = useChanged(tried, chat.report.run);
  const step = trace?.steps.some((one) => one.address === address) ? address : null;
  const steps = useRef<HTMLDivElement>(null);
  useKeptFocus(steps, tab === "steps" ? step : null);
  return (
    <section className="ed-run" aria-label={t("trace.title")} data-run={chat.report.run ?? ""} data-status={chat.report.status}>
      <header className="ed-run-head">
        <h2 className="heading">{t("trace.title")}</h2>
        <span className="grow" />
        {tried?.model.name ? (
          <span className={tried.model.demo ? "badge badge-warn" : "badge"} title={tried.model.demo ? t("trace.demoHelp") : t("trace.model")}>
            <bdi className="clip">{tried.model.name}</bdi>
          </span>
        ) : null}
        <button type="button" className="btn btn-ghost btn-icon btn-small" aria-label={t("trace.settings")} title={t("trace.settings")} aria-pressed={tab === "settings"} onClick={() => setTab(tab === "settings" ? "chat" : "settings")}>
          <Settings2 size={15} />
        </button>
      </header>
      <div className="ed-run-tabs">
        <div className="tabs" role="tablist" aria-label={t("trace.title")} onKeyDown={walk}>
          <TabButton name="chat" now={tab} onChoose={setTab} words={t("trace.chat")} />
          <TabButton name="steps" now={tab} onChoose={() => open(null)} words={t("trace.steps")} count={trace?.steps.length ?? 0} />
        </div>
        <button
          type="button"
          className="btn btn-ghost btn-small"
          disabled={!tried || tried.empty || noModel}
          onClick={() => {
            chat.tell("newChat");
            setTab("chat");
          }}
        >
          <SquarePen size={14} />
          {t("trace.newChat")}
        </button>
      </div>
      {failed ? (
        <div className="ed-run-strip ed-run-bad" role="alert">
          <span className="grow">{failed}</span>
          <button type="button" className="btn btn-small" onClick={() => void again()}>
            {t("shared.retry")}
          </button>
        </div>
      ) : null}
      {tab === "settings" ? null : tried && !tried.ready ? (
        <Barriers tried={tried} onDone={again} />
      ) : tried?.unset.length ? (
        <div className="ed-run-strip" role="status">
          <span className="grow">{t(tried.unset.length === 1 ? "trace.unset" : "trace.unsetMany", { names: tried.unset.join(", ") })}</span>
          <button type="button" className="btn btn-small" onClick={() => setTab("settings")}>
            {t("trace.unsetSet")}
          </button>
        </div>
      ) : changed && tab === "chat" ? (
        <p className="ed-run-strip" role="status">
          <RefreshCw size={14} aria-hidden="true" />
          <span>{t("trace.changed")}</span>
        </p>
      ) : null}
      {tab === "settings" ? <DraftSettings onBack={() => setTab("chat")} onSaved={again} /> : null}
      {tab === "steps" ? (
        <div className="ed-run-scroll" ref={steps}>
          {trace && step ? <Detail key={step} trace={trace} address={step} onOpen={open} onBack={() => open(null)} onBegun={show} /> : <Steps trace={trace} onOpen={open} />}
        </div>
      ) : null}
      {noModel ? tab === "chat" ? <NoModel model={tried.model} onDone={again} /> : null : <Frame tried={tried} chat={chat} flow={id} shown={tab === "chat"} busy={busy} />}
    </section>
  );
}

/** The arrows go from one tab to the other and open it. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
  event.preventDefault();
  const other = event.currentTarget.querySelector<HTMLElement>('[role="tab"][tabindex="-1"]');
  other?.focus();
  other?.click();
}

/** A row that opens what its step did goes away with the focus: the way back has it then, and later the row again. */
function useKeptFocus(place: RefObject<HTMLElement | null>, step: string | null): void {
  const before = useRef(step);
  useEffect(() => {
    const left = before.current;
    before.current = step;
    if (left === step || document.activeElement !== document.body) return;
    const wanted = step !== null ? ".ed-trace-back" : `.ed-run-row[data-address="${CSS.escape(left ?? "")}"]`;
    place.current?.querySelector<HTMLElement>(wanted)?.focus();
  }, [step, place]);
}

interface TabProps {
  name: Tab;
  now: Tab;
  onChoose: (tab: Tab) => void;
  words: string;
  count?: number;
}

function TabButton({ name, now, onChoose, words, count = 0 }: TabProps): ReactElement {
  const held = name === now || (now === "settings" && name === "chat");
  return (
    <button type="button" role="tab" className="tab" aria-selected={name === now} tabIndex={held ? 0 : -1} data-tab={name} onClick={() => onChoose(name)}>
      {words}
      {count ? <span className="ed-run-count num">{count}</span> : null}
    </button>
  );
}

/** The chat page. It is drawn anew when the draft changes what it shows before anybody speaks; its conversation stays. */
function Frame({ tried, chat, flow, shown, busy }: { tried: Tried | null; chat: ChatFrame; flow: string; shown: boolean; busy: boolean }): ReactElement | null {
  if (!tried) {
    return busy && shown ? <Waiting /> : null;
  }
  if (tried.empty) return null;
  return <Page key={`${tried.slug} ${tried.page}`} url={tried.url} chat={chat} flow={flow} shown={shown} />;
}

function Waiting(): ReactElement {
  return (
    <div className="ed-run-wait" aria-busy="true">
      <span className="skeleton skeleton-line" />
      <p className="small muted">{t("trace.loading")}</p>
    </div>
  );
}

function Page({ url, chat, flow, shown }: { url: string; chat: ChatFrame; flow: string; shown: boolean }): ReactElement {
  // The address is read once: a page that is there keeps its own conversation.
  const [address] = useState(() => {
    const talk = keptTalk(flow);
    return talk ? `${url}&c=${encodeURIComponent(talk)}` : url;
  });
  const { frame } = chat;
  const [there, setThere] = useState(false);
  const onLoad = () => {
    setThere(true);
    chat.tell("report");
  };
  return (
    <div className="ed-run-page" hidden={!shown}>
      <iframe ref={frame} className="ed-run-frame" title={t("trace.frame")} src={address} onLoad={onLoad} />
      {there ? null : <Waiting />}
    </div>
  );
}

/** Has the draft changed since the last message of this pane? */
function useChanged(tried: Tried | null, run: string | null): boolean {
  const [since, setSince] = useState<{ run: string | null; revision: number } | null>(null);
  useEffect(() => {
    if (tried) setSince((known) => (known && known.run === run ? known : { run, revision: tried.revision }));
  }, [tried, run]);
  return run !== null && tried !== null && since !== null && since.run === run && tried.revision !== since.revision;
}

/** A step chosen on the canvas opens what it did, where it did something. */
function useChosenStep(trace: Trace | null, shown: string | null, open: (address: string) => void): void {
  const chosen = useEditor((state) => (state.selection.nodes.length === 1 ? (state.selection.nodes[0] ?? null) : null));
  const latest = useRef({ trace, shown, open });
  latest.current = { trace, shown, open };
  useEffect(() => {
    if (chosen === null) return;
    const { trace: now, shown: already, open: show } = latest.current;
    // A step that was opened from the list chose its card: that visit stays open.
    if (already !== null && cardOf(store.getState().flow, already) === chosen) return;
    const step = now?.steps.findLast((one) => one.node === chosen);
    if (step) show(step.address);
  }, [chosen]);
}
