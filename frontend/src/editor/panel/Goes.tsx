/** @jsxImportSource react */
import { useId, type ReactNode } from "react";
import { t } from "../../shared/strings";
import { PickNode } from "../fields/Pick";
import { Problems } from "../fields/Row";
import { problemsAt, useScope } from "../fields/scope";
import { END, labelOf, text } from "../store/document";

export const nameOf = (id: string): string => (id === END ? t("panel.end") : labelOf(id));

/** The step that an edge leads to. */
export function Goes({ from, to, route, at, label }: { from: string; to: string; route?: string; at: string; label: string }): ReactNode {
  const scope = useScope();
  const id = useId();
  const field = scope.language.plainEdge.find((each) => each.key === "to");
  const found = problemsAt(scope.problems, at, true);
  if (!field) return null;
  return (
    <div className="ed-field" data-path={at}>
      <div className="ed-label">
        <label htmlFor={id}>{label}</label>
      </div>
      <PickNode
        field={field}
        value={to}
        holder={{}}
        set={(next) => {
          const newTo = text(next);
          if (!newTo || newTo === to) return;
          void scope.edit(t("panel.edge.change", { from: nameOf(from), to: nameOf(newTo) }), [
            { op: "reconnect", from, to, newTo, ...(route === undefined ? {} : { route }) },
          ]);
        }}
        path={["to"]}
        at={at}
        id={id}
        saidBy={found.length ? `${id}-said` : undefined}
        bad={found.some((one) => one.level === "error")}
        readOnly={scope.readOnly}
        name={label}
      />
      <div id={`${id}-said`}>
        {found.map((one, index) => (
          <Problems key={index} problem={one} />
        ))}
      </div>
    </div>
  );
}
