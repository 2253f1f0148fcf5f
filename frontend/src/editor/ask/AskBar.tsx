/** @jsxImportSource react */
import { useReactFlow } from "@xyflow/react";
import { Sparkles, X } from "lucide-react";
import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent, type ReactElement, type RefObject } from "react";
import { t } from "../../shared/strings";
import { editor } from "../store/editor";
import { useEditor } from "../store/state";
import { askStore, asking } from "./asks";
import { Box } from "./Box";
import { Earlier } from "./Earlier";
import { useUnsent } from "./unsent";

/** The sockets tell; this is for when one is lost. */
const LOOK_MS = 2500;
const DRAWN_MS = 120;
/** So few changed steps are looked at more closely than the whole flow. */
const FEW = 6;
const MAC = /Mac|iP(hone|ad)/.test(navigator.platform);

/** The Ask bar: a box at the bottom of the canvas in which a change is asked for, followed, and accepted or dropped. */
export function AskBar(): ReactElement | null {
  const canEdit = useEditor((state) => state.canEdit);
  const flow = useEditor((state) => state.id);
  useFollowing(flow, canEdit);
  return canEdit && flow ? <Bar flow={flow} /> : null;
}

function useFollowing(flow: string, canEdit: boolean): void {
  const working = askStore((state) => state.current?.state === "working");
  const waiting = askStore((state) => state.current?.state === "proposed");
  const revision = useEditor((state) => state.revision);
  useEffect(() => {
    if (!flow || !canEdit) return;
    void asking.begin();
    const hush = editor.hear((poke) => {
      if (poke.type === "ask" && poke.id !== undefined) asking.heard(poke.id, poke.rev ?? 0);
    });
    // A model may have been added in another window.
    const again = () => askStore.getState().problem && void asking.refresh();
    addEventListener("focus", again);
    return () => {
      removeEventListener("focus", again);
      hush();
      editor.setProposal(null);
    };
  }, [flow, canEdit]);
  useEffect(() => {
    if (!working) return;
    const timer = setInterval(() => {
      const { current } = askStore.getState();
      if (current) void asking.read(current.id);
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [working]);
  useEffect(() => {
    // The draft moved under the proposal: what it would change is another thing now, or nothing that fits.
    const { current } = askStore.getState();
    if (waiting && current && current.baseRevision !== revision) void asking.read(current.id);
  }, [waiting, revision]);
}

function Bar({ flow }: { flow: string }): ReactElement {
  const current = askStore((state) => state.current);
  const problem = askStore((state) => state.problem);
  const maySet = askStore((state) => state.maySet);
  const demo = askStore((state) => state.demo);
  const error = askStore((state) => state.error);
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useUnsent(flow);
  const about = useAbout();
  const bar = useRef<HTMLElement>(null);
  useFocusKey(field);
  useLookAtProposal(bar);
  useKeptFocus(field, bar, current?.state ?? "");
  const working = current?.state === "working";

  const send = async (event?: FormEvent) => {
    event?.preventDefault();
    const wanted = text.trim();
    if (!wanted || working) return;
    if (await asking.send(wanted, about.ids)) setText("");
  };
  const again = (words: string) => {
    setText(words);
    field.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void send();
    } else if (event.key === "Escape") {
      field.current?.blur();
    }
  };
  return (
    <section ref={bar} className="ed-ask" aria-label={t("ask.bar")}>
      {current ? <Box ask={current} again={again} /> : null}
      {error ? (
        <p className="ed-ask-error" role="alert">
          {error}
        </p>
      ) : null}
      {problem ? (
        <p className="ed-ask-problem">
          {problem} {maySet ? <a href="/settings/models">{t("ask.settings")}</a> : null}
        </p>
      ) : null}
      <form className="ed-ask-row" onSubmit={(event) => void send(event)}>
        <Sparkles className="ed-ask-mark" size={16} aria-hidden="true" />
        <textarea
          ref={field}
          className="ed-ask-in"
          rows={Math.min(6, Math.max(1, text.split("\n").length))}
          value={text}
          aria-label={t("ask.box")}
          placeholder={current?.state === "proposed" ? t("ask.placeholder_more") : t("ask.placeholder")}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKey}
          disabled={problem !== ""}
        />
        {demo && !current ? (
          <span className="ed-ask-demo" title={t("ask.demo_long")}>
            {t("ask.demo")}
          </span>
        ) : null}
        <Earlier />
        {text.trim() ? (
          <button type="submit" className="btn btn-primary ed-ask-send" disabled={working}>
            {t("ask.send")}
          </button>
        ) : (
          <kbd className="ed-ask-kbd" aria-hidden="true">
            {MAC ? "⌘K" : "Ctrl K"}
          </kbd>
        )}
      </form>
      {about.ids.length ? (
        <div className="ed-ask-about">
          <span>{about.words}</span>
          <button type="button" className="ed-ask-x" aria-label={t("ask.leave_out")} title={t("ask.leave_out")} onClick={about.leave}>
            <X size={12} aria-hidden="true" />
          </button>
        </div>
      ) : null}
    </section>
  );
}

/** The steps that the ask is about: those chosen on the canvas, unless the person leaves them out. */
function useAbout(): { ids: string[]; words: string; leave: () => void } {
  const nodes = useEditor((state) => state.selection.nodes);
  const [left, setLeft] = useState("");
  const key = nodes.join(" ");
  const ids = left === key ? [] : nodes;
  const words = ids.length === 1 ? t("ask.about", { name: ids[0] ?? "" }) : t("ask.about_many", { count: ids.length });
  return { ids, words, leave: () => setLeft(key) };
}

/** A new proposal is moved into view, above the bar. */
function useLookAtProposal(bar: RefObject<HTMLElement | null>): void {
  const proposal = useEditor((state) => state.proposal);
  const flow = useReactFlow();
  const seen = useRef("");
  useEffect(() => {
    if (!proposal || seen.current === proposal.id) return;
    seen.current = proposal.id;
    const named = new Set(proposal.lines.flatMap((line) => (line.node ? [line.node] : [])));
    const few = named.size > 0 && named.size <= FEW;
    // The canvas draws the proposal first.
    const timer = setTimeout(() => {
      const bottom = (bar.current?.offsetHeight ?? 0) + 48;
      void flow.fitView({
        ...(few ? { nodes: [...named].map((id) => ({ id })) } : {}),
        padding: { top: "48px", left: "48px", right: "64px", bottom: `${bottom}px` },
        maxZoom: 1,
        duration: 220,
      });
    }, DRAWN_MS);
    return () => clearTimeout(timer);
  }, [proposal, flow, bar]);
}

/** The button that was pressed goes away with what it ended; whoever pressed it goes on in the bar. */
function useKeptFocus(field: RefObject<HTMLTextAreaElement | null>, bar: RefObject<HTMLElement | null>, state: string): void {
  const within = useRef(false);
  useEffect(() => {
    const look = () => {
      within.current = bar.current?.contains(document.activeElement) ?? false;
    };
    document.addEventListener("focusin", look);
    return () => document.removeEventListener("focusin", look);
  }, [bar]);
  useEffect(() => {
    if (within.current && document.activeElement === document.body) field.current?.focus();
  }, [field, state]);
}

/** ⌘K or Ctrl+K, from anywhere in the editor. */
function useFocusKey(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [field]);
}

