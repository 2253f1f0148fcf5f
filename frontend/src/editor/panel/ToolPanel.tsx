/** @jsxImportSource react */
import type { ReactNode } from "react";
import { t } from "../../shared/strings";
import { kindOf } from "../canvas/kinds";
import { Fields } from "../fields/Fields";
import { RemoveButton } from "../fields/parts";
import { useScope, WordOf, type Word } from "../fields/scope";
import { labelOf, nodesOf, text } from "../store/document";
import { Alone } from "../run/Alone";
import { isObject } from "../store/changes";
import { Head, topicOf, WholeProblems } from "./Head";
import { UnitCard } from "./UnitCard";
import { Used } from "./Used";

/** A tool: what it calls, what it takes, and its code. */
export function ToolPanel({ name }: { name: string }): ReactNode {
  const scope = useScope();
  const all = Array.isArray(scope.flow.tools) ? scope.flow.tools : [];
  const at = all.findIndex((each) => isObject(each) && each.name === name);
  const value = all[at];
  const fields = scope.language.tool;
  if (!isObject(value)) return <p className="ed-panel-body muted">{t("panel.gone")}</p>;
  const word: Word = { on: { tool: name }, base: ["tools", at], value, name, renames: { name: (to) => ({ op: "renameTool", name, to }) } };
  const callers = nodesOf(scope.flow).filter((node) =>
    kindOf(scope.language, node.type)?.fields.some((field) => field.ref === "tool" && text(node.json[field.key]) === name),
  );
  return (
    <WordOf word={word}>
      <Head sign={null} title={name} kind="" topic={topicOf(fields)} back={{ words: t("panel.tool.all"), part: { flow: "tools" } }} />
      <div className="ed-panel-body">
        <WholeProblems keys={fields.map((field) => field.key)} />
        <Fields fields={fields} />
        <Used words={t("panel.tool.calledBy")} parts={callers.map((node) => ({ name: labelOf(node.id), part: { node: node.id } }))} />
        {callers.length ? fields.map((field) => (field.unit ? <UnitCard key={field.key} kind={field.unit} name={name} /> : null)) : <p className="ed-help">{t("panel.tool.uncalled")}</p>}
        {scope.readOnly ? null : (
          <details className="ed-alone-fold">
            <summary className="label">{t("trace.alone")}</summary>
            <Alone part={{ tool: name }} />
          </details>
        )}
        {scope.readOnly ? null : (
          <RemoveButton
            words={t("panel.tool.remove")}
            onRemove={() => {
              void scope.edit(t("panel.removeOf", { name }), [{ op: "removeTool", name }]);
              scope.open({ flow: "tools" });
            }}
          />
        )}
      </div>
    </WordOf>
  );
}
