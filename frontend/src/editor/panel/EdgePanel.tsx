/** @jsxImportSource react */
import { ArrowRight, Split } from "lucide-react";
import { useId, type ReactNode } from "react";
import { t } from "../../shared/strings";
import { Combo } from "../fields/Combo";
import { AddButton, freeKey, RemoveButton } from "../fields/parts";
import { FieldRow, Problems } from "../fields/Row";
import { problemsAt, useScope, useWord, WordOf, type Word } from "../fields/scope";
import { isObject } from "../store/changes";
import { END, nodesOf, object, text } from "../store/document";
import { pathOf } from "../store/paths";
import type { EdgeRef } from "../store/state";
import type { Json, JsonObject } from "../store/wire";
import { Goes, nameOf } from "./Goes";
import { Head, topicOf, WholeProblems } from "./Head";
import { moved } from "./moving";
import { Routes } from "./Routes";
import { UnitCard } from "./UnitCard";

/** An edge: where it leads, or how it is decided where it leads. */
export function EdgePanel({ edge }: { edge: EdgeRef }): ReactNode {
  const { flow, language } = useScope();
  const all = Array.isArray(flow.edges) ? flow.edges : [];
  const leaves = (each: Json | undefined): each is JsonObject => isObject(each) && each.from === edge.from;
  const exact = all.findIndex((each) => leaves(each) && (edge.to === undefined || isObject(each.routes) || each.to === edge.to));
  const at = exact < 0 ? all.findIndex(leaves) : exact;
  const value = all[at];
  if (!isObject(value)) return <p className="ed-panel-body muted">{t("panel.gone")}</p>;
  const decides = isObject(value.routes) || value.type === "conditional";
  const to = text(value.to);
  const word: Word = {
    on: { edge: decides ? { from: edge.from } : { from: edge.from, to } },
    base: ["edges", at],
    value,
    name: decides ? nameOf(edge.from) : t("panel.edge.title", { from: nameOf(edge.from), to: nameOf(to) }),
  };
  return (
    <WordOf word={word}>
      <Head
        sign={<span className="ed-sign">{decides ? <Split size={13} aria-hidden="true" /> : <ArrowRight size={13} aria-hidden="true" />}</span>}
        title={word.name}
        kind={t(decides ? "panel.edge.conditional" : "panel.edge.plain")}
        topic={topicOf(language.plainEdge)}
      />
      <div className="ed-panel-body">{decides ? <Deciding from={edge.from} route={edge.route} /> : <Plain from={edge.from} to={to} />}</div>
    </WordOf>
  );
}

/** The step that an edge leaves: another one, which has no way out yet, takes the whole edge. */
function Leaves({ from }: { from: string }): ReactNode {
  const scope = useScope();
  const word = useWord();
  const id = useId();
  const at = pathOf([...word.base, "from"]);
  const found = problemsAt(scope.problems, at, true);
  const edges = Array.isArray(scope.flow.edges) ? scope.flow.edges : [];
  const taken = new Set(edges.map((edge) => text(object(edge).from)));
  const options = nodesOf(scope.flow)
    .filter((node) => node.id === from || !taken.has(node.id))
    .map((node) => ({ value: node.id, label: nameOf(node.id), help: text(node.json.description) }));
  const move = (leaving: string) => {
    const to = text(word.value.to);
    const changed = scope.edit(t("panel.change", { what: t("panel.edge.from"), of: word.name }), moved(word.value, from, leaving));
    void changed.then((ok) => ok && scope.open({ edge: { from: leaving, ...(to ? { to } : {}) } }));
  };
  return (
    <div className="ed-field" data-path={at}>
      <div className="ed-label">
        <label htmlFor={id}>{t("panel.edge.from")}</label>
      </div>
      <Combo id={id} value={from} options={options} onChoose={move} name={t("panel.edge.from")} bad={found.some((one) => one.level === "error")} readOnly={scope.readOnly} />
      {found.map((one, index) => (
        <Problems key={index} problem={one} />
      ))}
    </div>
  );
}

function Plain({ from, to }: { from: string; to: string }): ReactNode {
  const scope = useScope();
  const word = useWord();
  return (
    <>
      <WholeProblems keys={["from", "to"]} />
      <Leaves from={from} />
      <Goes from={from} to={to} at={pathOf([...word.base, "to"])} label={t("panel.edge.to")} />
      {scope.readOnly ? null : (
        <>
          <hr className="ed-rule" />
          <p className="ed-help">{t("panel.edge.split.help")}</p>
          <div className="ed-acts">
            <AddButton
              words={t("panel.edge.split")}
              onAdd={() => {
                const made = scope.edit(t("panel.edge.split"), [{ op: "connect", from, to: END, when: "" }]);
                void made.then((ok) => ok && scope.open({ edge: { from } }));
              }}
            />
            <RemoveButton
              words={t("panel.edge.remove")}
              onRemove={() => {
                void scope.edit(t("panel.edge.remove"), [{ op: "disconnect", from, to }]).then((ok) => ok && scope.open({ node: from }));
              }}
            />
          </div>
        </>
      )}
    </>
  );
}

function Deciding({ from, route }: { from: string; route: string | undefined }): ReactNode {
  const scope = useScope();
  const word = useWord();
  const fields = scope.language.conditionalEdge;
  const routes = object(word.value.routes);
  const drawn = fields.filter((field) => field.unit);
  return (
    <>
      <WholeProblems keys={fields.map((field) => field.key)} />
      {problemsAt(scope.problems, pathOf([...word.base, "routes"]), false).map((one, index) => (
        <Problems key={index} problem={one} />
      ))}
      <Routes from={from} chosen={route} />
      {scope.readOnly ? null : (
        <AddButton
          words={t("panel.edge.addRoute")}
          onAdd={() => void scope.edit(t("panel.edge.addRoute"), [{ op: "connect", from, to: END, route: freeKey(routes, t("panel.edge.newRoute")), when: "" }])}
        />
      )}
      <hr className="ed-rule" />
      <Leaves from={from} />
      {drawn.map((field) => (
        <div key={field.key} className="ed-one">
          <FieldRow field={field} path={[field.key]} />
          {field.unit ? <UnitCard kind={field.unit} name={text(word.value[field.key])} /> : null}
        </div>
      ))}
    </>
  );
}
