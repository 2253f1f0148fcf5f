/** @jsxImportSource react */
import { ArrowUpRight, Plus } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "../../shared/strings";
import { channelsOf, END, labelOf, nodesOf, object, text } from "../store/document";
import { useEditor } from "../store/state";
import type { Operation } from "../store/wire";
import { useCallees } from "./callees";
import { Combo, type ComboProps, type Option } from "./Combo";
import { creating, creatingTool, isChannelName, serversOf, toolNames, typeFor } from "./create";
import type { InputProps } from "./Row";
import { setting, useScope, useWord, type Opened } from "./scope";

const comboOf = (props: InputProps): Pick<ComboProps, "id" | "name" | "saidBy" | "bad" | "readOnly" | "none"> => ({
  id: props.id,
  name: props.name,
  saidBy: props.saidBy,
  bad: props.bad,
  readOnly: props.readOnly,
  none: props.field.required ? undefined : t("panel.none"),
});

/** What a field that names a channel may name. */
export function useChannels(writes: boolean): Option[] {
  const { flow, language } = useScope();
  const own = Object.entries(channelsOf(flow)).map(([name, raw]) => {
    const channel = object(raw);
    return { value: name, note: text(channel.type), help: text(channel.description) };
  });
  const given = writes ? [] : language.given.filter((one) => one.name !== "history" || flow.conversation === true);
  return [...own, ...given.map((one) => ({ value: one.name, help: one.help }))];
}

/** Sets the field and takes nothing back where nothing was chosen. */
function useSet(props: InputProps): (value: string) => void {
  return (value) => props.set(value === "" && !props.field.required ? undefined : value);
}

export function PickChannel(props: InputProps): ReactNode {
  const scope = useScope();
  const word = useWord();
  const set = useSet(props);
  const options = useChannels(props.field.writes === true);
  const value = text(props.value);
  const create = creating(scope, props.field, props.holder);
  const make = (name: string) => create(name, name === value ? null : setting(word, props.path, name));
  const known = !value || options.some((one) => one.value === value);
  return (
    <>
      <Combo
        {...comboOf(props)}
        value={value}
        options={options}
        onChoose={set}
        free
        mono
        placeholder={t("panel.pick.channel")}
        create={(typed) =>
          isChannelName(typed)
            ? { words: t("panel.create.channelOf", { name: typed, type: typeFor(scope, props.field, props.holder) }), make: () => make(typed) }
            : null
        }
      />
      <Beside
        value={value}
        known={known}
        part={{ channel: value }}
        create={isChannelName(value) ? { words: t("panel.create.channel", { name: value }), make: () => make(value) } : null}
        readOnly={props.readOnly}
      />
    </>
  );
}

export function PickNode(props: InputProps): ReactNode {
  const { flow, language } = useScope();
  const word = useWord();
  const set = useSet(props);
  const own = "node" in word.on ? word.on.node : "";
  const options: Option[] = nodesOf(flow)
    .filter((node) => node.id !== own)
    .map((node) => ({
      value: node.id,
      label: labelOf(node.id),
      note: language.kinds.find((kind) => kind.type === node.type)?.title ?? node.type,
      help: text(node.json.description),
    }));
  if (props.field.ref === "next") options.push({ value: END, label: t("panel.end"), help: t("panel.end.help") });
  return <Combo {...comboOf(props)} value={text(props.value)} options={options} onChoose={set} free placeholder={t("panel.pick.node")} />;
}

export function PickRoute(props: InputProps): ReactNode {
  const word = useWord();
  const options = Object.entries(object(word.value.routes)).map(([name, to]) => ({ value: name, note: labelOf(text(to)) }));
  return <Combo {...comboOf(props)} value={text(props.value)} options={options} onChoose={useSet(props)} free mono placeholder={t("panel.pick.route")} />;
}

export function PickTool(props: InputProps): ReactNode {
  const scope = useScope();
  const word = useWord();
  const value = text(props.value);
  const names = toolNames(scope.flow);
  const servers = serversOf(scope.flow);
  const options: Option[] = [
    ...names.map((name) => ({ value: name })),
    ...servers.flatMap(([server, tools]) => tools.map((name) => ({ value: name, note: server }))),
    ...(props.field.servers ? servers.map(([server, tools]) => ({ value: server, note: t("panel.pick.server"), help: tools.join(", ") })) : []),
  ];
  const make = creatingTool(scope);
  const then = (name: string): Operation => setting(word, props.path, name);
  return (
    <>
      <Combo
        {...comboOf(props)}
        value={value}
        options={options}
        onChoose={useSet(props)}
        free
        mono
        placeholder={t("panel.pick.tool")}
        create={(typed) => (isChannelName(typed) ? { words: t("panel.create.tool", { name: typed }), make: () => make(typed, then(typed)) } : null)}
      />
      <Beside
        // Tools of servers are the flow's needs, and have no panel of their own.
        value={options.some((one) => one.value === value) && !names.includes(value) ? "" : value}
        known={!value || names.includes(value)}
        part={{ tool: value }}
        create={isChannelName(value) ? { words: t("panel.create.tool", { name: value }), make: () => make(value, then(value)) } : null}
        readOnly={props.readOnly}
      />
      {value && !names.includes(value) && options.some((one) => one.value === value) ? <ServersLink id={scope.id} /> : null}
    </>
  );
}

/** Where tools of servers are connected, and switched on and off; for who may do that. */
export function ServersLink({ id, look = "ed-beside" }: { id: string; look?: string }): ReactNode {
  const canOperate = useEditor((state) => state.canOperate);
  if (!canOperate) return null;
  return (
    <a className={look} href={`/flows/${id}/servers`}>
      {t("panel.servers.open")}
      <ArrowUpRight size={12} aria-hidden="true" />
    </a>
  );
}

/** Of what the flow requires, one by name: a collection or a database. */
function PickRequired({ section, ask, ...props }: InputProps & { section: string; ask: string }): ReactNode {
  const { flow } = useScope();
  const declared = object(object(flow.requires)[section]);
  const options = Object.entries(declared).map(([name, each]) => ({ value: name, help: text(object(each).describe) }));
  return <Combo {...comboOf(props)} value={text(props.value)} options={options} onChoose={useSet(props)} free mono placeholder={ask} />;
}

export const PickCollection = (props: InputProps): ReactNode => <PickRequired {...props} section="knowledge" ask={t("panel.pick.collection")} />;

export const PickDatabase = (props: InputProps): ReactNode => <PickRequired {...props} section="database" ask={t("panel.pick.database")} />;

/** Another flow, by where it stands; one that is nowhere here may be named all the same. */
export function PickFlow(props: InputProps): ReactNode {
  const { flows } = useCallees();
  const options = flows.map((one) => ({ value: one.address, note: one.name, help: one.description }));
  return <Combo {...comboOf(props)} value={text(props.value)} options={options} onChoose={useSet(props)} free mono placeholder={props.field.placeholder || t("panel.pick.flow")} />;
}

/** An agent of the registry, by its name. */
export function PickAgent(props: InputProps): ReactNode {
  const { agents } = useCallees();
  const options = agents.map((one) => ({ value: one.name, help: one.description }));
  return <Combo {...comboOf(props)} value={text(props.value)} options={options} onChoose={useSet(props)} free mono placeholder={t("panel.pick.agent")} />;
}

interface BesideProps {
  value: string;
  known: boolean;
  part: Opened;
  create: { words: string; make: () => void } | null;
  readOnly: boolean;
}

/** What can be done with what a field names: opened, or made where there is none. */
function Beside({ value, known, part, create, readOnly }: BesideProps): ReactNode {
  const scope = useScope();
  if (!value) return null;
  if (known) {
    return (
      <button type="button" className="ed-beside" onClick={() => scope.open(part)}>
        {t("panel.open")}
        <ArrowUpRight size={12} />
      </button>
    );
  }
  return create && !readOnly ? (
    <button type="button" className="ed-act" onClick={create.make}>
      <Plus size={13} />
      {create.words}
    </button>
  ) : null;
}
