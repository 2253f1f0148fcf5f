/** @jsxImportSource react */
import { BaseEdge, EdgeLabelRenderer, getBezierPath, Position, type EdgeProps } from "@xyflow/react";
import { memo, type ReactElement } from "react";
import { t } from "../../shared/strings";
import type { Way } from "../store/document";
import type { LineEdge } from "./graph";
import { through, TURN } from "./lanes";

/** A line to a card behind: under both of them, so that it is seen. */
function loop(sx: number, sy: number, tx: number, ty: number, below: number): [string, number, number] {
  const low = Math.max(sy, ty) + below;
  const path = `M ${sx} ${sy} C ${sx} ${low}, ${sx} ${low}, ${(sx + tx) / 2} ${low} S ${tx} ${low}, ${tx} ${ty}`;
  return [path, (sx + tx) / 2, low];
}

/** How far under the cards a line back runs, so that two of them are two; how far the names are put apart. */
const LOW: Record<Way["kind"], number> = { plain: 56, route: 56, each: 56, reject: 76, error: 96 };
const APART: Record<Way["kind"], number> = { plain: 0, route: 0, each: 0, reject: 10, error: -10 };

function labelOf(way: Way): string {
  if (way.kind === "route") return way.route ?? "";
  if (way.kind === "error") return t("edit.onError");
  if (way.kind === "each") return t("edit.onEach", { item: way.when ?? "" });
  return way.kind === "reject" ? t("edit.onReject") : "";
}

/** A way from one step to another, with the name of its route. */
export const Line = memo(function Line(props: EdgeProps<LineEdge>): ReactElement | null {
  const { id, data, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, selected } = props;
  if (!data) return null;
  const { way, mark, running, done, lane } = data;
  const under = sourcePosition === Position.Bottom && targetPosition === Position.Bottom;
  // A card that is being dragged may have come too near for the lane that its line had.
  const around = lane !== null && targetPosition === Position.Left && targetX - sourceX > 2 * TURN;
  const [path, x, y] = under
    ? loop(sourceX, sourceY, targetX, targetY, LOW[way.kind])
    : around
      ? through(lane, sourceX, sourceY, targetX, targetY, sourcePosition === Position.Bottom)
      : getBezierPath({ sourceX, sourceY, sourcePosition, targetX, targetY, targetPosition });
  const words = labelOf(way);
  return (
    <>
      <g className="ed-wire" data-kind={way.kind} data-mark={mark ?? undefined} data-running={running || undefined} data-done={done || undefined}>
        <BaseEdge id={id} path={path} interactionWidth={18} markerEnd="url(#ed-arrow)" />
      </g>
      {words ? (
        <EdgeLabelRenderer>
          <span
            className="ed-wire-name nodrag nopan"
            data-kind={way.kind}
            data-mark={mark ?? undefined}
            data-selected={selected || undefined}
            data-edge={id}
            title={way.when || undefined}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y + (under || around ? 0 : APART[way.kind])}px)` }}
          >
            {words}
          </span>
        </EdgeLabelRenderer>
      ) : null}
    </>
  );
});
