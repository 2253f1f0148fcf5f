/** @jsxImportSource react */
import type { ReactNode } from "react";
import type { Field, KindShape } from "../../generated/language";
import { t } from "../../shared/strings";
import { KindIcon } from "../canvas/KindIcon";
import { hueOf, kindOf } from "../canvas/kinds";
import { Fields } from "../fields/Fields";
import { problemsAt, useScope, WordOf, type Word } from "../fields/scope";
import { Alone } from "../run/Alone";
import { LastRun } from "../run/LastRun";
import { labelOf, text, type NodeOf } from "../store/document";
import { pathOf } from "../store/paths";
import { useEditor } from "../store/state";
import { Head, WholeProblems } from "./Head";
import { Tabs, type Tab } from "./Tabs";
import { UnitCard } from "./UnitCard";

/** A step: what it does, who approves it, what happens when it fails. */
export function NodePanel({ node }: { node: NodeOf }): ReactNode {
  const scope = useScope();
  const kind = kindOf(scope.language, node.type);
  const word: Word = {
    on: { node: node.id },
    base: ["nodes", node.at],
    value: node.json,
    name: labelOf(node.id),
    renames: { id: (to) => ({ op: "renameNode", id: node.id, to }) },
  };
  return (
    <WordOf word={word}>
      <Head sign={<KindIcon icon={kind?.icon ?? ""} hue={hueOf(kind)} title={kind?.title ?? node.type} />} title={word.name} kind={kind?.title ?? node.type} topic={kind?.topic} />
      {kind ? (
        <NodeTabs kind={kind} word={word} node={node.id} />
      ) : (
        <div className="ed-panel-body">
          <WholeProblems keys={[]} />
        </div>
      )}
    </WordOf>
  );
}

function NodeTabs({ kind, word, node }: { kind: KindShape; word: Word; node: string }): ReactNode {
  const scope = useScope();
  const ran = useEditor((state) => state.run?.steps[node] !== undefined && !state.run.test);
  const inTab = (name: string): Field[] => kind.fields.filter((field) => field.tab === name && !(field.key === "type" && field.widget === "shown"));
  const tabs: Tab[] = scope.language.tabs
    .filter((tab) => inTab(tab.name).length)
    .map((tab) => {
      const fields = inTab(tab.name);
      const bad = fields.some((field) => problemsAt(scope.problems, pathOf([...word.base, field.key]), true).some((one) => one.level === "error"));
      return {
        name: tab.name,
        title: tab.title,
        bad,
        body: () => (
          <>
            {tab.name === kind.fields[0]?.tab ? <WholeProblems keys={kind.fields.map((field) => field.key)} /> : null}
            <Fields fields={fields} bare={fields.length === 1} />
            {fields.map((field) => (field.unit ? <UnitCard key={field.key} kind={field.unit} name={text(word.value[field.key])} /> : null))}
          </>
        ),
      };
    });
  // A fan-out does nothing by itself: the step that it sends to does.
  if (!scope.readOnly && kind.type !== "fanout") tabs.push({ name: "alone", title: t("trace.alone"), body: () => <Alone part={{ step: node }} /> });
  if (ran) tabs.push({ name: "run", title: t("trace.lastRun"), body: () => <LastRun node={node} /> });
  return <Tabs tabs={tabs} base={word.base} of={(key) => kind.fields.find((field) => field.key === key)?.tab} />;
}
