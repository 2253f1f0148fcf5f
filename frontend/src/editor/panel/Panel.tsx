/** @jsxImportSource react */
import { FileWarning, MousePointerClick } from "lucide-react";
import { useMemo, type ReactElement } from "react";
import { t } from "../../shared/strings";
import { ScopeOf, type Opened, type Scope } from "../fields/scope";
import { editor } from "../store/editor";
import { nodeById } from "../store/document";
import { useEditor, store, type EditorState, type Selection } from "../store/state";
import type { JsonObject, Operation } from "../store/wire";
import { ChannelPanel } from "./ChannelPanel";
import { EdgePanel } from "./EdgePanel";
import { FlowPanel } from "./FlowPanel";
import { NodePanel } from "./NodePanel";
import { ToolPanel } from "./ToolPanel";
import { useHeld } from "./useHeld";

/** What was chosen by its name is still chosen under its new one. */
function follow(operations: readonly Operation[]): void {
  const { selection } = store.getState();
  for (const operation of operations) {
    if (operation.op === "renameNode" && (selection.nodes.includes(operation.id) || !selection.nodes.length)) editor.select({ nodes: [operation.to] });
    else if (operation.op === "renameChannel" && selection.part && "channel" in selection.part && selection.part.channel === operation.name)
      editor.select({ part: { channel: operation.to } });
    else if (operation.op === "renameTool" && selection.part && "tool" in selection.part && selection.part.tool === operation.name)
      editor.select({ part: { tool: operation.to } });
    else if (operation.op === "reconnect" && selection.edges.some((edge) => edge.from === operation.from && edge.to === operation.to && edge.route === undefined))
      editor.select({ edges: [{ from: operation.from, to: operation.newTo }] });
  }
}

function open(part: Opened): void {
  if ("node" in part) editor.select({ nodes: [part.node] });
  else if ("edge" in part) editor.select({ edges: [part.edge] });
  else editor.select({ part });
}

async function edit(label: string, operations: Operation[]): Promise<boolean> {
  const outcome = await editor.edit(label, operations);
  if (outcome.ok) follow(operations);
  return outcome.ok;
}

/** The document of the proposal, when the chosen step is in it and not in the draft. */
export function onlyProposed({ flow, proposal, selection }: Pick<EditorState, "flow" | "proposal" | "selection">): JsonObject | null {
  const [node, ...more] = selection.nodes;
  if (!proposal || node === undefined || more.length || nodeById(flow).has(node)) return null;
  return nodeById(proposal.document).has(node) ? proposal.document : null;
}

/** The right pane for what is chosen: a step, an edge, a channel, a tool, or the flow itself. */
export function Panel(): ReactElement | null {
  const id = useEditor((state) => state.id);
  const flow = useEditor((state) => state.flow);
  const language = useEditor((state) => state.language);
  const canEdit = useEditor((state) => state.canEdit);
  const problems = useEditor((state) => state.problems);
  const units = useEditor((state) => state.units);
  const selection = useEditor((state) => state.selection);
  const proposed = useEditor(onlyProposed);
  const held = useHeld();
  const scope = useMemo<Scope | null>(() => {
    if (!flow || !language) return null;
    // A step that is only proposed is there to read.
    if (proposed) return { id, flow: proposed, language, readOnly: true, problems: [], units: [], edit, open };
    return { id, flow, language, readOnly: !canEdit || held, problems, units, edit, open };
  }, [id, flow, proposed, language, canEdit, held, problems, units]);
  if (!flow) {
    return (
      <section className="ed-panel">
        <div className="empty">
          <FileWarning size={20} aria-hidden="true" />
          <p className="heading">{t("panel.unreadable")}</p>
          <p className="muted">{t("panel.unreadable.lead")}</p>
        </div>
      </section>
    );
  }
  return <section className="ed-panel" title={held ? t("edit.proposalFirst") : undefined}>{scope ? <ScopeOf scope={scope}>{content(selection, scope)}</ScopeOf> : <Waiting />}</section>;
}

/** The language is on its way. */
function Waiting(): ReactElement {
  return (
    <div className="ed-panel-body" aria-busy="true">
      <span className="skeleton skeleton-line" />
      <span className="skeleton skeleton-block" />
      <span className="skeleton skeleton-line" />
    </div>
  );
}

function content(selection: Selection, scope: Scope): ReactElement {
  const [node, ...more] = selection.nodes;
  if (more.length) {
    return (
      <div className="empty">
        <MousePointerClick size={20} aria-hidden="true" />
        <p className="heading">{t("panel.many", { count: more.length + 1 })}</p>
        <p className="muted">{t("panel.many.lead")}</p>
      </div>
    );
  }
  const found = node === undefined ? undefined : nodeById(scope.flow).get(node);
  if (found) return <NodePanel key={`node ${found.id}`} node={found} />;
  const [edge] = selection.edges;
  if (edge) return <EdgePanel key={`edge ${edge.from} ${edge.to ?? ""}`} edge={edge} />;
  const { part } = selection;
  if (part && "channel" in part) return <ChannelPanel key={`channel ${part.channel}`} name={part.channel} />;
  if (part && "tool" in part) return <ToolPanel key={`tool ${part.tool}`} name={part.tool} />;
  return <FlowPanel key="flow" />;
}
