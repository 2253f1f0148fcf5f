/** @jsxImportSource react */
import type { ReactNode } from "react";
import { t } from "../../shared/strings";
import { traffic } from "../canvas/cards";
import { kindOf } from "../canvas/kinds";
import { Fields } from "../fields/Fields";
import { KeyBox, RemoveButton } from "../fields/parts";
import { useScope, WordOf, type Word } from "../fields/scope";
import { channelsOf, labelOf, names, nodesOf, object } from "../store/document";
import { Head, topicOf, WholeProblems } from "./Head";
import { Used } from "./Used";

/** A channel: what it holds, how it is written, and which steps name it. */
export function ChannelPanel({ name }: { name: string }): ReactNode {
  const scope = useScope();
  const channels = channelsOf(scope.flow);
  const { channel: fields } = scope.language;
  if (!(name in channels)) return <p className="ed-panel-body muted">{t("panel.gone")}</p>;
  const value = object(channels[name]);
  const word: Word = { on: { channel: name }, base: ["state", name], value, name };
  const named = nodesOf(scope.flow).map((node) => ({ node, ...traffic(node.json, kindOf(scope.language, node.type), channels) }));
  const ends = [
    ...(names(scope.flow.inputs).includes(name) ? [t("panel.channel.input")] : []),
    ...(names(scope.flow.outputs).includes(name) ? [t("panel.channel.output")] : []),
  ];
  const writers = named.filter((one) => one.writes.includes(name)).map((one) => one.node);
  const readers = named.filter((one) => one.reads.includes(name)).map((one) => one.node);
  const parts = (nodes: typeof writers) => nodes.map((node) => ({ name: labelOf(node.id), part: { node: node.id } }));
  return (
    <WordOf word={word}>
      <Head sign={null} title={name} kind={ends.join(", ")} topic={topicOf(fields)} back={{ words: t("panel.channel.all"), part: { flow: "channels" } }} />
      <div className="ed-panel-body">
        <WholeProblems keys={fields.map((field) => field.key)} />
        <div className="ed-field">
          <div className="ed-label">{t("panel.channel.name")}</div>
          <KeyBox
            name={name}
            at={`state ${name}`}
            taken={(next) => next in channels}
            onRename={(to) => void scope.edit(t("panel.channel.rename", { name, to }), [{ op: "renameChannel", name, to }])}
            label={t("panel.channel.name")}
            readOnly={scope.readOnly}
          />
          <p className="ed-help">{t("panel.channel.name.help")}</p>
        </div>
        <Fields fields={fields} />
        <Used words={t("panel.channel.writtenBy")} parts={parts(writers)} />
        <Used words={t("panel.channel.readBy")} parts={parts(readers)} />
        {writers.length || readers.length || ends.length ? null : <p className="ed-help">{t("panel.channel.unused")}</p>}
        {scope.readOnly ? null : (
          <RemoveButton
            words={t("panel.channel.remove")}
            onRemove={() => {
              void scope.edit(t("panel.removeOf", { name }), [{ op: "removeChannel", name }]);
              scope.open({ flow: "channels" });
            }}
          />
        )}
      </div>
    </WordOf>
  );
}
