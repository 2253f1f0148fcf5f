/** @jsxImportSource react */
import { Background, BackgroundVariant, MiniMap, ReactFlow, SelectionMode, useReactFlow, type Connection, type FinalConnectionState, type NodeChange, type OnConnectStartParams, type Viewport } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef, useState, type DragEvent, type MouseEvent, type ReactElement } from "react";
import { t } from "../../shared/strings";
import { editor } from "../store/editor";
import { END, nodeById, waysOf, type Way } from "../store/document";
import { store, useEditor } from "../store/state";
import type { Operation, XY } from "../store/wire";
import { addStep, connect, leadTo, moveTo, spliceOf } from "./acts";
import { Card } from "./Card";
import { commentOf, type CanvasNode, type LineEdge } from "./graph";
import { EndMark } from "./EndMark";
import { Line } from "./Line";
import { Menu } from "./Menu";
import { Note } from "./Note";
import { HEIGHT, WIDTH } from "./places";
import { QuickAdd, type Adding } from "./QuickAdd";
import { Tools } from "./Tools";
import { useCardsFirst } from "./useCardsFirst";
import { useFocus } from "./useFocus";
import { useFollow } from "./useFollow";
import { useFirstLook } from "./useFirstLook";
import { useInSight } from "./useInSight";
import { useKeys } from "./useKeys";
import { useScene } from "./useScene";
import { glide } from "./glide";
import { DRAGGED } from "../palette/Palette";

const NODE_TYPES = { card: Card, end: EndMark, note: Note };
const EDGE_TYPES = { line: Line };
/** Below this zoom nothing small is read. */
const FAR = 0.4;
const LABELS = {
  "node.a11yDescription.default": t("edit.a11y.node"),
  "node.a11yDescription.keyboardDisabled": t("edit.a11y.node"),
  "edge.a11yDescription.default": t("edit.a11y.edge"),
  "minimap.ariaLabel": t("edit.minimap"),
};

/** The line under a place on the screen. */
function lineAt(x: number, y: number): string | null {
  for (const each of document.elementsFromPoint(x, y)) {
    const line = each.closest<SVGGElement>(".react-flow__edge");
    if (line) return line.dataset.id ?? null;
  }
  return null;
}

/** The step, or the end, under a place on the screen. */
function cardAt(x: number, y: number): string | null {
  for (const each of document.elementsFromPoint(x, y)) {
    const id = each.closest<HTMLElement>(".react-flow__node-card, .react-flow__node-end")?.dataset.id;
    if (id) return id;
  }
  return null;
}

const pointOf = (event: globalThis.MouseEvent | TouchEvent): { x: number; y: number } => {
  const at = "changedTouches" in event ? event.changedTouches[0] : event;
  return { x: at?.clientX ?? 0, y: at?.clientY ?? 0 };
};

export function Canvas(): ReactElement {
  const scene = useScene();
  const { nodes, edges, setNodes, chooseLines, quiet } = scene;
  const canEdit = useEditor((state) => state.canEdit);
  const proposing = useEditor((state) => state.proposal !== null);
  const flow = useReactFlow<CanvasNode, LineEdge>();
  const place = useRef<HTMLDivElement>(null);
  const [adding, setAdding] = useState<Adding | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const wayById = useCallback((id: string | null): Way | undefined => (id ? waysOf(store.getState().flow).find((way) => way.id === id) : undefined), []);
  const editable = canEdit && !proposing;
  useFirstLook(nodes, place);
  useInSight(place);
  const leaveAlone = useFollow(place);
  useFocus(place);
  useCardsFirst(place);
  useKeys({ place, quiet, editable, setNodes, openAdd: setAdding });

  const onNodesChange = useCallback((changes: NodeChange<CanvasNode>[]) => scene.change(changes), [scene.change]);

  const splice = (id: string, x: number, y: number): boolean => {
    // A step that hangs in the air and is let go on a line goes into it.
    const ways = waysOf(store.getState().flow);
    if (ways.some((way) => way.from === id || way.to === id)) return false;
    const way = wayById(lineAt(x, y));
    if (!way || !spliceOf(way)) return false;
    const operations: Operation[] = [leadTo(way, id), { op: "connect", from: id, to: way.to }];
    void editor.edit(t("edit.spliced"), operations);
    return true;
  };

  const onDragStop = (event: globalThis.MouseEvent | TouchEvent | MouseEvent, node: CanvasNode, dragged: CanvasNode[]) => {
    const positions: Record<string, XY> = {};
    const operations: Operation[] = [];
    for (const each of dragged) {
      const comment = commentOf(each.id);
      if (comment) operations.push({ op: "changeComment", id: comment, x: Math.round(each.position.x), y: Math.round(each.position.y) });
      else positions[each.id] = each.position;
    }
    moveTo(positions);
    if (operations.length) void editor.edit("", operations);
    const at = "clientX" in event ? { x: event.clientX, y: event.clientY } : pointOf(event);
    if (dragged.length === 1 && node.type === "card") splice(node.id, at.x, at.y);
  };

  const onConnect = useCallback((made: Connection) => void connect(made.source, made.target), []);

  const from = useRef<string | null>(null);
  const onConnectStart = useCallback((_: unknown, { nodeId }: OnConnectStartParams) => {
    from.current = nodeId;
    place.current?.toggleAttribute("data-connecting", true);
  }, []);
  const onConnectEnd = useCallback(
    (event: globalThis.MouseEvent | TouchEvent, state: FinalConnectionState) => {
      const source = from.current;
      from.current = null;
      place.current?.toggleAttribute("data-connecting", false);
      if (!source || state.isValid || state.toHandle) return;
      const { x, y } = pointOf(event);
      // The whole card takes a line, not only the ring at its side.
      const onto = cardAt(x, y);
      if (onto && onto !== source) void connect(source, onto);
      else if (!onto && place.current?.contains(document.elementFromPoint(x, y))) {
        setAdding({ screen: { x, y }, at: flow.screenToFlowPosition({ x, y: y - 48 }), after: source });
      }
    },
    [flow],
  );

  const onReconnect = useCallback((edge: LineEdge, made: Connection) => {
    const way = edge.data?.way;
    if (!way || made.target === way.to || (way.kind === "reject" && made.target === END)) return;
    void editor.edit("", [leadTo(way, made.target)]);
  }, []);

  const onDragOver = (event: DragEvent) => {
    if (!editable || !event.dataTransfer.types.includes(DRAGGED)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    const line = lineAt(event.clientX, event.clientY);
    setOver(spliceOf(wayById(line)) ? line : null);
  };
  const onDrop = (event: DragEvent) => {
    const type = event.dataTransfer.getData(DRAGGED);
    const kind = store.getState().language?.kinds.find((each) => each.type === type);
    setOver(null);
    if (!kind || !editable) return;
    event.preventDefault();
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const onto = spliceOf(wayById(lineAt(event.clientX, event.clientY)));
    void addStep({ kind, at: { x: at.x - WIDTH / 2, y: at.y - HEIGHT / 2 }, splice: onto });
  };

  const onNodeClick = useCallback((event: MouseEvent, node: CanvasNode) => {
    if (event.shiftKey || event.ctrlKey || event.metaKey || node.type !== "card") return;
    if (store.getState().pane === null) editor.openPane("panel");
  }, []);
  const onNodeDoubleClick = useCallback((_: MouseEvent, node: CanvasNode) => {
    if (node.type === "card") editor.openPane("panel");
  }, []);
  const onEdgeClick = useCallback((_: MouseEvent, edge: LineEdge) => {
    if (edge.data?.way && store.getState().pane === null) editor.openPane("panel");
  }, []);
  // A channel or a tool is let go of as a step is: the flow itself is shown again.
  const onPaneClick = useCallback(() => {
    const { part } = store.getState().selection;
    if (part && !("flow" in part)) editor.choose({});
  }, []);
  const onPaneDoubleClick = (event: MouseEvent) => {
    if (!editable || !(event.target instanceof Element) || !event.target.classList.contains("react-flow__pane")) return;
    const screen = { x: event.clientX, y: event.clientY };
    setAdding({ screen, at: flow.screenToFlowPosition(screen) });
  };

  // From far away a card is its icon and its title: the rest would be drawn and not read.
  const onMove = useCallback((event: unknown, { zoom }: Viewport) => {
    place.current?.toggleAttribute("data-far", zoom < FAR);
    if (event) leaveAlone();
  }, []);

  // What is jumped to, found or added comes into sight.
  const jump = useEditor((state) => state.jump);
  useEffect(() => {
    if (!jump) return;
    const { selection } = store.getState();
    const id = selection.nodes[0] ?? selection.edges[0]?.from;
    if (id && nodeById(store.getState().flow).has(id)) void flow.fitView({ nodes: [{ id }], maxZoom: Math.max(0.8, flow.getZoom()), minZoom: 0.8, duration: glide(220) });
  }, [jump, flow]);

  const lines = useMemo(() => (over ? edges.map((edge) => (edge.id === over ? { ...edge, className: "ed-over" } : edge)) : edges), [edges, over]);

  const close = useCallback(() => setAdding(null), []);
  const openAdd = (screen: XY, after: string | null, onlyThere: boolean) => setAdding({ screen, at: flow.screenToFlowPosition(screen), after, onlyThere, between: !onlyThere });
  return (
    <Menu editable={editable} toCanvas={flow.screenToFlowPosition} onAdd={openAdd}>
      <div className="ed-canvas" tabIndex={-1} ref={place} onDragOver={onDragOver} onDragLeave={() => setOver(null)} onDrop={onDrop} onDoubleClick={onPaneDoubleClick} data-editable={editable || undefined}>
        <ReactFlow<CanvasNode, LineEdge>
          nodes={nodes}
          edges={lines}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          onNodesChange={onNodesChange}
          onEdgesChange={chooseLines}
          onNodeDragStop={onDragStop}
          onSelectionDragStop={(event, dragged) => dragged[0] && onDragStop(event, dragged[0], dragged)}
          onNodeClick={onNodeClick}
          onNodeDoubleClick={onNodeDoubleClick}
          onEdgeClick={onEdgeClick}
          onPaneClick={onPaneClick}
          onMove={onMove}
          onConnect={onConnect}
          onConnectStart={onConnectStart}
          onConnectEnd={onConnectEnd}
          onReconnect={onReconnect}
          nodesDraggable={editable}
          nodesConnectable={editable}
          connectionRadius={28}
          reconnectRadius={14}
          deleteKeyCode={null}
          disableKeyboardA11y
          selectionKeyCode="Shift"
          multiSelectionKeyCode={["Shift", "Meta", "Control"]}
          selectionMode={SelectionMode.Partial}
          panOnScroll
          zoomOnDoubleClick={false}
          minZoom={0.05}
          maxZoom={2}
          nodeDragThreshold={2}
          elevateNodesOnSelect={false}
          ariaLabelConfig={LABELS}
          onlyRenderVisibleElements={nodes.length > 120}
          proOptions={{ hideAttribution: true }}
        >
          <div aria-hidden="true">
            <Background variant={BackgroundVariant.Dots} gap={20} size={1.4} />
          </div>
          <svg className="ed-defs" aria-hidden="true">
            <defs>
              <marker id="ed-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="10" markerHeight="10" orient="auto-start-reverse">
                <path d="M 1 1 L 7 4 L 1 7" />
              </marker>
            </defs>
          </svg>
          {nodes.length > 8 ? <MiniMap pannable zoomable nodeClassName={(node) => `ed-mini ed-mini-${node.type ?? ""}`} nodeBorderRadius={24} className="ed-minimap" position="bottom-left" /> : null}
        </ReactFlow>
        <Tools editable={editable} />
        {adding ? <QuickAdd adding={adding} onClose={close} /> : null}
      </div>
    </Menu>
  );
}
