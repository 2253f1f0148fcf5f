/** @jsxImportSource react */
import { History } from "lucide-react";
import { Popover } from "radix-ui";
import type { ReactElement } from "react";
import type { AskRow } from "../../generated/asks";
import { t, type StringKey } from "../../shared/strings";
import { ago } from "../../shared/time";
import { askStore, asking } from "./asks";

const STATES: Record<AskRow["state"], StringKey> = {
  working: "ask.state_working",
  proposed: "ask.state_proposed",
  answered: "ask.state_answered",
  stopped: "ask.state_stopped",
  failed: "ask.state_failed",
  accepted: "ask.state_accepted",
  dropped: "ask.state_dropped",
};

/** The flow's last asks, everybody's, with what was said to them. */
export function Earlier(): ReactElement {
  const rows = askStore((state) => state.earlier);
  return (
    <Popover.Root onOpenChange={(open) => open && void asking.refresh()}>
      <Popover.Trigger className="ed-ask-icon" aria-label={t("ask.history")} title={t("ask.history")}>
        <History size={15} aria-hidden="true" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="ed-ask-earlier" side="top" align="end" sideOffset={12} collisionPadding={12} aria-label={t("ask.history")}>
          {rows.length ? (
            <ul>
              {rows.map((row) => (
                <Row key={row.id} row={row} />
              ))}
            </ul>
          ) : (
            <p>{t("ask.history_none")}</p>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Row({ row }: { row: AskRow }): ReactElement {
  return (
    <li>
      <b>{row.text}</b>
      <small>
        {row.mine ? t("ask.by_you") : row.by} · <time dateTime={row.at}>{ago(row.at)}</time> · {t(STATES[row.state])}
      </small>
      {row.reply ? <p>{row.reply}</p> : null}
      {row.note ? <p className="ed-ask-note">{row.note}</p> : null}
    </li>
  );
}
