/** @jsxImportSource react */
import type { ReactNode } from "react";
import { t } from "../../shared/strings";
import { Fields } from "../fields/Fields";
import { AddButton, KeyBox, movedKey, Order, RemoveButton } from "../fields/parts";
import { Problems } from "../fields/Row";
import { blankOf } from "../fields/ObjectOf";
import { Compact, problemsAt, setting, useScope, useWord } from "../fields/scope";
import { isObject } from "../store/changes";
import { object, text } from "../store/document";
import { pathOf } from "../store/paths";
import type { JsonObject } from "../store/wire";
import { Goes } from "./Goes";
import { When } from "./When";

/** The routes of a decision in the order in which they are tried, those without a sentence last. */
export function routesInOrder(edge: JsonObject): string[] {
  const routes = Object.keys(object(edge.routes));
  const said = Object.keys(object(edge.when)).filter((name) => routes.includes(name));
  return [...said, ...routes.filter((name) => !said.includes(name))];
}

export function Routes({ from, chosen }: { from: string; chosen: string | undefined }): ReactNode {
  const word = useWord();
  const names = routesInOrder(word.value);
  return (
    <div className="ed-routes">
      <p className="ed-help">{t("panel.edge.routes.help")}</p>
      {names.map((name, at) => (
        <Route key={name} from={from} name={name} first={at === 0} last={at === names.length - 1} only={names.length === 1} chosen={name === chosen} />
      ))}
      <Strays section="when" names={names} />
      <Strays section="limits" names={names} />
    </div>
  );
}

/** Sentences and limits of routes that there are not, each with the act that takes it away. */
function Strays({ section, names }: { section: "when" | "limits"; names: readonly string[] }): ReactNode {
  const scope = useScope();
  const word = useWord();
  const held = object(word.value[section]);
  const strays = Object.keys(held).filter((name) => !names.includes(name));
  const whole = problemsAt(scope.problems, pathOf([...word.base, section]), false);
  return (
    <>
      {whole.map((one, index) => (
        <Problems key={index} problem={one} />
      ))}
      {strays.map((name) => (
        <div key={name} className="ed-whole" data-path={pathOf([...word.base, section, name])}>
          {problemsAt(scope.problems, pathOf([...word.base, section, name]), true).map((one, index) => (
            <Problems key={index} problem={one} />
          ))}
          {scope.readOnly ? null : (
            <RemoveButton
              words={t("panel.removeOf", { name })}
              onRemove={() => void scope.edit(t("panel.removeOf", { name }), [setting(word, Object.keys(held).length > 1 || section === "when" ? [section, name] : [section], undefined)])}
            />
          )}
        </div>
      ))}
    </>
  );
}

interface RouteProps {
  from: string;
  name: string;
  first: boolean;
  last: boolean;
  only: boolean;
  chosen: boolean;
}

function Route({ from, name, first, last, only, chosen }: RouteProps): ReactNode {
  const scope = useScope();
  const word = useWord();
  const routes = object(word.value.routes);
  const to = text(routes[name]);
  const at = pathOf([...word.base, "routes", name]);
  const whenAt = pathOf([...word.base, "when", name]);
  const own = problemsAt(scope.problems, at, false);
  const said = problemsAt(scope.problems, whenAt, false);
  const move = (by: number) => {
    // Routes are tried in the order of their sentences; a route that has none gets an empty one with its place.
    const all = Object.fromEntries(routesInOrder(word.value).map((each) => [each, object(word.value.when)[each] ?? ""]));
    void scope.edit(t("panel.edge.order"), [setting(word, ["when"], movedKey(all, name, by))]);
  };
  return (
    <section className="ed-way" data-path={at} data-chosen={chosen || undefined} data-bad={said.length + own.length > 0 || undefined} aria-label={t("panel.edge.route", { name })}>
      <div className="ed-route-head">
        <KeyBox
          name={name}
          at={`${at} route`}
          taken={(next) => next in routes}
          onRename={(next) => void scope.edit(t("panel.edge.renameRoute", { name, to: next }), [{ op: "renameRoute", from, route: name, to: next }])}
          label={t("panel.nameOf", { name })}
          readOnly={scope.readOnly}
        />
        {scope.readOnly ? null : (
          <Order
            name={name}
            first={first}
            last={last}
            onMove={move}
            onRemove={() => {
              const gone = scope.edit(t("panel.edge.removeRoute", { name }), [{ op: "disconnect", from, to, route: name }]);
              if (only) void gone.then((ok) => ok && scope.open({ node: from }));
            }}
          />
        )}
      </div>
      {own.map((one, index) => (
        <Problems key={index} problem={one} />
      ))}
      <div className="ed-route-when" data-path={whenAt}>
        <When route={name} sentence={text(object(word.value.when)[name])} bad={said.length > 0} />
        {said.map((one, index) => (
          <Problems key={index} problem={one} />
        ))}
      </div>
      <Goes from={from} to={to} route={name} at={at} label={t("panel.edge.goes")} />
      <LimitOf name={name} />
    </section>
  );
}

/** How often a route may be taken, and what is taken then. */
function LimitOf({ name }: { name: string }): ReactNode {
  const scope = useScope();
  const word = useWord();
  const field = scope.language.conditionalEdge.find((each) => each.key === "limits");
  const fields = field?.of?.item ?? [];
  const limits = object(word.value.limits);
  const path = ["limits", name];
  const at = pathOf([...word.base, ...path]);
  const own = problemsAt(scope.problems, at, false);
  if (!isObject(limits[name])) {
    return scope.readOnly ? null : (
      <AddButton
        words={t("panel.addWhat", { what: t("panel.edge.limit") })}
        onAdd={() => {
          const other = Object.keys(object(word.value.routes)).find((each) => each !== name && !(each in limits));
          void scope.edit(t("panel.addWhat", { what: t("panel.edge.limit") }), [setting(word, path, { ...blankOf(fields), max: 3, then: other ?? "" })]);
        }}
      />
    );
  }
  // The last limit takes the word along.
  const gone = Object.keys(limits).length > 1 ? path : ["limits"];
  return (
    <div className="ed-limit" data-path={at}>
      {own.map((one, index) => (
        <Problems key={index} problem={one} />
      ))}
      <Compact>
        <Fields fields={fields} under={path} />
      </Compact>
      {scope.readOnly ? null : (
        <RemoveButton
          words={t("panel.removeWhat", { what: t("panel.edge.limit") })}
          onRemove={() => void scope.edit(t("panel.removeWhat", { what: t("panel.edge.limit") }), [setting(word, gone, undefined)])}
        />
      )}
    </div>
  );
}
