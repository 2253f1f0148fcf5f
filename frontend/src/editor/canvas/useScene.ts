import { applyNodeChanges, type EdgeChange, type NodeChange } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef, useState, type Dispatch, type SetStateAction } from "react";
import { editor } from "../store/editor";
import { store, useEditor } from "../store/state";
import { useFound } from "./found";
import { cardsOf } from "./cards";
import { commentOf, edgesToDraw, isChosen, nodesToDraw, noteId, placer, refOf, sameEdges, sameNodes, type CanvasNode, type LineEdge } from "./graph";
import { layered } from "./layers";
import { arranged, besides, endPlace, unplaced } from "./places";
import { END } from "../store/document";
import type { Selection } from "../store/state";

export interface Drawing {
  nodes: CanvasNode[];
  edges: LineEdge[];
  setNodes: Dispatch<SetStateAction<CanvasNode[]>>;
  change: (changes: NodeChange<CanvasNode>[]) => void;
  chooseLines: (changes: EdgeChange<LineEdge>[]) => void;
  /** Chosen lines that no selection of the panel can name: what follows a failure or a no. */
  quiet: ReadonlySet<string>;
}

/** A flow of more steps opens at once rather than with the fewest crossings. */
const LONG = 60;
const NONE: ReadonlySet<string> = new Set();

function idsOf(selection: Selection): ReadonlySet<string> {
  return new Set([...selection.nodes, ...(selection.comment ? [noteId(selection.comment)] : [])]);
}

/** Puts steps without a place somewhere: all of them in order, a few beside those that lead to them. */
function usePlaces(): void {
  const flow = useEditor((state) => state.proposal?.document ?? state.flow);
  const given = useEditor((state) => state.layout);
  const proposed = useEditor((state) => state.proposal?.layout ?? null);
  const layout = useMemo(() => (proposed ? { ...given, nodes: { ...proposed.nodes, ...given.nodes } } : given), [given, proposed]);
  const auto = useEditor((state) => state.auto);
  useEffect(() => {
    if (!flow) return;
    const lost = unplaced(flow, layout, auto);
    if (!lost.length) return;
    const known = { ...auto, ...layout.nodes };
    const held = lost.length < Object.keys(known).length || (Object.keys(layout.nodes).length > 0 && lost.length < 4);
    if (held) {
      editor.setAuto({ ...auto, ...besides(flow, known, lost) });
      return;
    }
    if (lost.length > LONG) {
      editor.setAuto(layered(flow));
      return;
    }
    let stale = false;
    void arranged(flow).then((places) => {
      if (!stale) editor.setAuto(places);
    });
    return () => {
      stale = true;
    };
  }, [flow, layout, auto]);
}

/** The canvas's own copy of what it draws: places while something is dragged live here, and nowhere else. */
export function useScene(): Drawing {
  usePlaces();
  const flow = useEditor((state) => state.flow);
  const layout = useEditor((state) => state.layout);
  const auto = useEditor((state) => state.auto);
  const problems = useEditor((state) => state.problems);
  const proposal = useEditor((state) => state.proposal);
  const run = useEditor((state) => state.run);
  const language = useEditor((state) => state.language);
  const canEdit = useEditor((state) => state.canEdit);
  const selection = useEditor((state) => state.selection);
  const found = useFound();
  const [nodes, setNodes] = useState<CanvasNode[]>([]);
  const [quiet, setQuiet] = useState<ReadonlySet<string>>(NONE);

  const wanted = useMemo(() => {
    if (!flow) return [];
    const cards = cardsOf({ flow, language, problems, proposal, run, found });
    return nodesToDraw({ flow, layout, auto, proposal, canEdit: canEdit && !proposal }, cards);
  }, [flow, layout, auto, problems, proposal, run, language, canEdit, found]);

  const chosen = useMemo(() => idsOf(selection), [selection]);
  const drawn = useRef(wanted);
  const marked = useRef(chosen);
  if (drawn.current !== wanted || marked.current !== chosen || (!nodes.length && wanted.length)) {
    drawn.current = wanted;
    marked.current = chosen;
    const next = sameNodes(nodes, wanted, chosen);
    if (next.length !== nodes.length || next.some((node, at) => node !== nodes[at])) setNodes(next);
  }

  const held = useRef<LineEdge[]>([]);
  const edges = useMemo(() => {
    if (!flow) return [];
    const scene = { flow, layout, auto, proposal, canEdit };
    const at = placer(scene);
    const end = layout.nodes[END] ?? endPlace(proposal?.document ?? flow, at);
    const place = (id: string) => (id === END ? (end ?? undefined) : at(id));
    const lines = edgesToDraw(scene, run, place).map((line) => {
      const way = line.data?.way;
      const selected = way ? isChosen(way, selection.edges) || quiet.has(way.id) : false;
      return selected ? { ...line, selected } : line;
    });
    held.current = sameEdges(held.current, lines);
    return held.current;
  }, [flow, layout, auto, proposal, canEdit, run, selection.edges, quiet]);

  const change = useCallback((changes: NodeChange<CanvasNode>[]) => {
    setNodes((before) => applyNodeChanges(changes, before));
    const picks = changes.filter((one) => one.type === "select");
    if (!picks.length) return;
    const { selection: now } = store.getState();
    const ids = new Set(idsOf(now));
    for (const pick of picks) {
      if (pick.selected) ids.add(pick.id);
      else ids.delete(pick.id);
    }
    const comments = [...ids].map(commentOf).filter((id) => id !== null);
    const steps = [...ids].filter((id) => commentOf(id) === null && id !== END);
    editor.choose({ nodes: steps, edges: now.edges, comment: comments[0] ?? null });
    setQuiet((before) => (steps.length && before.size ? NONE : before));
  }, []);

  const chooseLines = useCallback((changes: EdgeChange<LineEdge>[]) => {
    const picks = changes.filter((one) => one.type === "select");
    if (!picks.length) return;
    const byId = new Map(held.current.map((edge) => [edge.id, edge.data?.way]));
    const { selection: now } = store.getState();
    let named = [...now.edges];
    const calm = new Set<string>();
    for (const pick of picks) {
      const way = byId.get(pick.id);
      if (!way) continue;
      named = named.filter((one) => !isChosen(way, [one]));
      if (!pick.selected) continue;
      if (way.kind === "error" || way.kind === "reject") calm.add(way.id);
      else named.push(refOf(way));
    }
    setQuiet(calm.size ? calm : NONE);
    editor.choose({ nodes: now.nodes, edges: named, comment: now.comment });
  }, []);

  return { nodes, edges, setNodes, change, chooseLines, quiet };
}
