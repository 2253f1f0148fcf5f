/** @jsxImportSource react */
import { Handle, Position, type NodeProps } from "@xyflow/react";
import { memo, type ReactElement } from "react";
import { t } from "../../shared/strings";
import type { EndNode } from "./graph";

/** Where a run ends, with what it gives. */
export const EndMark = memo(function EndMark({ id, data: { outputs, lone }, isConnectable }: NodeProps<EndNode>): ReactElement {
  return (
    <div className="ed-endmark" data-lone={lone || undefined} title={outputs ? t("edit.endsWith", { names: outputs }) : undefined}>
      {t("edit.end")}
      {outputs ? <small>{outputs}</small> : null}
      <Handle type="target" id="l" position={Position.Left} isConnectable={isConnectable} className="ed-port" />
      <i className="ed-end ed-end-t target" data-handleid="t" data-nodeid={id} data-handlepos="top" />
      <i className="ed-end ed-end-b target" data-handleid="b" data-nodeid={id} data-handlepos="bottom" />
    </div>
  );
});
