/** @jsxImportSource react */
import { Handle, Position, type NodeProps } from "@xyflow/react";
import { Check, CircleAlert, Clock, Lock, RefreshCw, TriangleAlert, X, type LucideIcon } from "lucide-react";
import { memo, type ReactElement } from "react";
import { t } from "../../shared/strings";
import { badgeWords, type Badge } from "./cards";
import type { CardNode } from "./graph";
import { KindIcon } from "./KindIcon";

const ICONS: Partial<Record<Badge["kind"], LucideIcon>> = { problem: CircleAlert, advice: TriangleAlert, approval: Lock, retry: RefreshCw, waiting: Clock, failed: X, done: Check };

function BadgeOf({ badge }: { badge: Badge }): ReactElement {
  const Drawing = ICONS[badge.kind];
  return (
    <span className="ed-badge" data-tone={badge.tone} data-badge={badge.kind}>
      {Drawing ? <Drawing size={11} strokeWidth={2.25} aria-hidden="true" /> : null}
      {badgeWords(badge)}
    </span>
  );
}

/** The ends at which lines meet a card. Only the ones at the sides take the pointer. */
export function Ends({ id, canConnect, source = true, target = true }: { id: string; canConnect: boolean; source?: boolean; target?: boolean }): ReactElement {
  return (
    <>
      {target ? <Handle type="target" id="l" position={Position.Left} isConnectable={canConnect} isConnectableStart={false} className="ed-port" /> : null}
      {source ? <Handle type="source" id="r" position={Position.Right} isConnectable={canConnect} className="ed-port ed-port-out" /> : null}
      {target ? (
        <>
          <i className="ed-end ed-end-t target" data-handleid="t" data-nodeid={id} data-handlepos="top" />
          <i className="ed-end ed-end-b target" data-handleid="b" data-nodeid={id} data-handlepos="bottom" />
        </>
      ) : null}
      {source ? (
        <>
          <i className="ed-end ed-end-t source" data-handleid="t" data-nodeid={id} data-handlepos="top" />
          <i className="ed-end ed-end-b source" data-handleid="b" data-nodeid={id} data-handlepos="bottom" />
        </>
      ) : null}
    </>
  );
}

/** A step: what it is, what it means, what it reads and writes, and the one thing about it that matters most. */
export const Card = memo(function Card({ id, data: { card }, isConnectable }: NodeProps<CardNode>): ReactElement {
  const traffic = [card.reads.join(", "), card.writes.join(", ")];
  const foot = traffic[0] || traffic[1];
  return (
    <div className="ed-card" data-mark={card.mark ?? undefined} data-run={card.run ?? undefined} data-found={card.found || undefined} data-problem={card.badge?.kind === "problem" || undefined}>
      {card.start ? (
        <span className="ed-start" title={card.inputs ? t("edit.startsFrom", { names: card.inputs }) : undefined}>
          {t("edit.start")}
          {card.inputs ? <small>{card.inputs}</small> : null}
        </span>
      ) : null}
      <div className="ed-card-head">
        <KindIcon icon={card.icon} hue={card.hue} title={card.kind} />
        <b className="clip" title={card.id}>
          {card.title}
        </b>
        <span className="ed-card-type">{card.type}</span>
      </div>
      <p className="ed-card-says clip-2">{card.says}</p>
      {foot || card.badge ? (
        <div className="ed-card-foot">
          <span className="ed-card-traffic clip">
            {traffic[0]}
            {foot ? <span aria-hidden="true"> → </span> : null}
            {traffic[1]}
          </span>
          {card.badge ? <BadgeOf badge={card.badge} /> : null}
        </div>
      ) : null}
      <Ends id={id} canConnect={isConnectable} />
    </div>
  );
});
