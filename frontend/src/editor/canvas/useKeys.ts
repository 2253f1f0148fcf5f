import { useReactFlow } from "@xyflow/react";
import { useEffect, type Dispatch, type RefObject, type SetStateAction } from "react";
import { editor } from "../store/editor";
import { nodesOf, type Way } from "../store/document";
import { store } from "../store/state";
import type { XY } from "../store/wire";
import { chosenWays, copied, duplicate, moveTo, placesNow, putFragment, removeChosen } from "./acts";
import { readFragment, written } from "./clipboard";
import { commentOf, type CanvasNode, type LineEdge } from "./graph";
import type { Adding } from "./QuickAdd";
import { glide } from "./glide";
import { showAll } from "./room";

const ARROWS: Record<string, XY> = { ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 }, ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 } };
const NUDGE = 10;
const FAR = 50;
/** Several presses of an arrow are one move. */
const SETTLED_MS = 450;

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select, [role=combobox], [role=textbox]"));

export interface KeysOf {
  place: RefObject<HTMLDivElement | null>;
  quiet: ReadonlySet<string>;
  editable: boolean;
  setNodes: Dispatch<SetStateAction<CanvasNode[]>>;
  openAdd: (adding: Adding) => void;
}

/** The keyboard and the clipboard of the canvas. Whoever types into a field keeps both. */
export function useKeys({ place, quiet, editable, setNodes, openAdd }: KeysOf): void {
  const flow = useReactFlow<CanvasNode, LineEdge>();
  useEffect(() => {
    let nudged: Record<string, XY> = {};
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      clearTimeout(timer);
      if (Object.keys(nudged).length) moveTo(nudged);
      nudged = {};
    };
    const nudge = (by: XY) => {
      const now = placesNow();
      for (const id of store.getState().selection.nodes) {
        const at = nudged[id] ?? now[id];
        if (at) nudged[id] = { x: at.x + by.x, y: at.y + by.y };
      }
      const there = { ...nudged };
      setNodes((nodes) => nodes.map((node) => (there[node.id] ? { ...node, position: there[node.id] ?? node.position } : node)));
      clearTimeout(timer);
      timer = setTimeout(settle, SETTLED_MS);
    };
    // A press on the empty canvas leaves the focus on what is around it.
    const onStage = (target: EventTarget | null): boolean => target instanceof Node && place.current !== null && (place.current.contains(target) || target.contains(place.current));

    // Whoever walks by keyboard means what has the focus, whatever was chosen before.
    const aim = (target: EventTarget | null): Way | null => {
      const held = target instanceof Element ? target.closest<HTMLElement | SVGElement>(".react-flow__node, .react-flow__edge") : null;
      const id = held?.dataset.id;
      if (!held || id === undefined || !held.matches(":focus-visible")) return null;
      if (held.matches(".react-flow__edge")) return flow.getEdge(id)?.data?.way ?? null;
      const { selection } = store.getState();
      const comment = commentOf(id);
      if (comment !== null && selection.comment !== comment) editor.choose({ comment });
      else if (held.matches(".react-flow__node-card") && !selection.nodes.includes(id)) editor.choose({ nodes: [id] });
      return null;
    };
    const remove = (way: Way | null, heal: boolean) => {
      if (way) editor.choose({});
      removeChosen(way ? [way] : chosenWays(quiet), heal);
      // What had the focus is gone: the canvas keeps it.
      place.current?.focus({ preventScroll: true });
    };

    const command = (event: KeyboardEvent): boolean => {
      const key = event.key.toLowerCase();
      if (key === "z" && editable) {
        settle();
        void (event.shiftKey ? editor.redo() : editor.undo());
      } else if (key === "y" && editable) void editor.redo();
      else if (key === "f") editor.setFinding(true);
      else if (key === "a" && onStage(event.target)) editor.choose({ nodes: nodesOf(store.getState().flow).map((node) => node.id) });
      else if (key === "d" && editable && onStage(event.target)) {
        aim(event.target);
        duplicate();
      } else return false;
      return true;
    };
    const plain = (event: KeyboardEvent): boolean => {
      const way = event.key === "Escape" ? null : aim(event.target);
      const { selection } = store.getState();
      const arrow = ARROWS[event.key];
      if (arrow && editable && selection.nodes.length) {
        const far = event.shiftKey ? FAR : NUDGE;
        nudge({ x: arrow.x * far, y: arrow.y * far });
      } else if ((event.key === "Delete" || event.key === "Backspace") && editable) remove(way, !event.shiftKey);
      else if (event.key === "Escape") editor.choose({});
      else if (event.key === "/") editor.setFinding(true);
      else if (event.key === "+" || event.key === "=") void flow.zoomIn({ duration: glide(120) });
      else if (event.key === "-") void flow.zoomOut({ duration: glide(120) });
      else if (event.key === "0") showAll(flow, 220);
      else if (event.key === "Enter" || event.key === " ") return open(event);
      else if (event.key.toLowerCase() === "n" && editable) {
        const box = place.current?.getBoundingClientRect();
        if (!box) return false;
        const screen = { x: box.left + box.width / 2, y: box.top + box.height / 3 };
        openAdd({ screen, at: flow.screenToFlowPosition(screen), after: selection.nodes.length === 1 ? (selection.nodes[0] ?? null) : null, between: true });
      } else if (event.key.toLowerCase() === "c" && editable && selection.nodes.length === 1) {
        const box = document.querySelector(`.react-flow__node[data-id="${CSS.escape(selection.nodes[0] ?? "")}"]`)?.getBoundingClientRect();
        if (!box) return false;
        const screen = { x: box.right, y: box.top };
        openAdd({ screen, at: flow.screenToFlowPosition(screen), after: selection.nodes[0] ?? null, onlyThere: true });
      } else return false;
      return true;
    };
    const open = (event: KeyboardEvent): boolean => {
      const node = event.target instanceof Element ? event.target.closest<HTMLElement>(".react-flow__node")?.dataset.id : undefined;
      const edge = event.target instanceof Element ? event.target.closest<SVGElement>(".react-flow__edge")?.dataset.id : undefined;
      const way = edge ? flow.getEdge(edge)?.data?.way : undefined;
      if (node && nodesOf(store.getState().flow).some((each) => each.id === node)) editor.select({ nodes: [node] });
      else if (way) editor.select({ edges: [{ from: way.from, to: way.to, ...(way.route === undefined ? {} : { route: way.route }) }] });
      else return false;
      editor.openPane("panel");
      return true;
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || typing(event.target) || document.querySelector("[role=dialog][data-state=open], [role=menu]")) return;
      const done = event.ctrlKey || event.metaKey ? !event.altKey && command(event) : !event.altKey && onStage(event.target) && plain(event);
      if (done) event.preventDefault();
    };

    const chosenText = () => (document.getSelection()?.toString() ?? "") !== "";
    const onCopy = (event: ClipboardEvent) => {
      if (typing(event.target) || chosenText()) return;
      aim(event.target);
      const fragment = copied();
      if (!fragment) return;
      event.clipboardData?.setData("text/plain", written(fragment));
      event.preventDefault();
      if (event.type === "cut" && editable) remove(null, true);
    };
    const onPaste = (event: ClipboardEvent) => {
      if (!editable || typing(event.target)) return;
      const fragment = readFragment(event.clipboardData?.getData("text/plain") ?? "");
      if (!fragment) return;
      event.preventDefault();
      void putFragment(fragment);
    };
    document.addEventListener("keydown", onKey);
    document.addEventListener("copy", onCopy);
    document.addEventListener("cut", onCopy);
    document.addEventListener("paste", onPaste);
    return () => {
      settle();
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("copy", onCopy);
      document.removeEventListener("cut", onCopy);
      document.removeEventListener("paste", onPaste);
    };
  }, [place, quiet, editable, setNodes, openAdd, flow]);
}
