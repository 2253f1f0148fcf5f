import type { JSX } from "preact";
import { t, type StringKey } from "../shared/strings";
import type { UnitLine } from "./wire";

const KINDS: Record<string, StringKey> = { handler: "editor.kind.handler", router: "editor.kind.router", tool: "editor.kind.tool" };

const STATES: Record<string, [StringKey, string]> = {
  current: ["editor.state.current", "badge badge-ok"],
  stale: ["editor.state.stale", "badge badge-warn"],
  edited: ["editor.state.edited", "badge"],
  missing: ["editor.state.missing", "badge badge-bad"],
  refused: ["editor.state.refused", "badge badge-bad"],
};

/** The code that the flow needs, each piece with its state; a click opens it. */
export function Units({ flow, units }: { flow: string; units: readonly UnitLine[] }): JSX.Element {
  if (!units.length) return <p class="card-pad small muted">{t("editor.noUnits")}</p>;
  return (
    <>
      {units.map((unit) => {
        const [state, tone] = STATES[unit.state] ?? ["editor.state.missing", "badge"];
        const kind = KINDS[unit.kind];
        return (
          <div key={`${unit.kind} ${unit.name}`} class="item item-open">
            <div class="item-text">
              <a class="item-title item-cover quiet clip mono" href={`/flows/${flow}/units/${unit.kind}/${unit.name}`}>
                {unit.name}
              </a>
              <span class="item-sub">{unit.reason || (kind ? t(kind) : unit.kind)}</span>
            </div>
            <span class="item-side">
              <span class={tone}>{t(state)}</span>
            </span>
          </div>
        );
      })}
    </>
  );
}
