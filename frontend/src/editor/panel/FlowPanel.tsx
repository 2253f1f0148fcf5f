/** @jsxImportSource react */
import { Cable, CircleCheck, ClipboardPaste, Folder, FolderArchive, Search, Server, Wrench } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Field } from "../../generated/language";
import { t } from "../../shared/strings";
import { KindIcon } from "../canvas/KindIcon";
import { AddButton, freeKey } from "../fields/parts";
import { serversOf } from "../fields/create";
import { Fields } from "../fields/Fields";
import { ServersLink } from "../fields/Pick";
import { belongs, problemsAt, useScope, WordOf, type Word } from "../fields/scope";
import { channelsOf, names, object, text, toolsOf } from "../store/document";
import { pathOf } from "../store/paths";
import { useEditor } from "../store/state";
import { Head, WholeProblems } from "./Head";
import { PasteTool } from "./PasteTool";
import { Tabs, type Tab } from "./Tabs";

/** Sections of the document that are no fields: drawn on the canvas, or listed here. */
const LISTED: Record<string, string> = { state: "channels", channels: "channels", tools: "tools" };

/** The flow itself: who it is, what goes in and out, its channels and tools, and what it needs where it runs. */
export function FlowPanel(): ReactNode {
  const scope = useScope();
  const part = useEditor((state) => state.selection.part);
  const name = useEditor((state) => state.name);
  const { flow, language } = scope;
  const word: Word = { on: { flow: true }, base: [], value: flow, name: text(flow.name) || name };
  const asked = part && "flow" in part ? part.flow : "";
  const of = (key: string): string | undefined => LISTED[key] ?? language.flow.find((field) => field.key === key)?.tab;
  const bad = (key: string) => problemsAt(scope.problems, key, true).some((one) => one.level === "error");

  const drawn = (tab: string): Field[] => language.flow.filter((field) => field.tab === tab && belongs(field, flow));
  const fieldTab = (tab: { name: string; title: string }): Tab => {
    const fields = drawn(tab.name);
    // What is read and never typed stands last.
    const ordered = [...fields.filter((field) => field.widget !== "shown"), ...fields.filter((field) => field.widget === "shown")];
    return {
      name: tab.name,
      title: tab.title,
      bad: fields.some((field) => bad(pathOf([field.key]))),
      body: () => (
        <>
          {tab.name === language.flow[0]?.tab ? <WholeProblems keys={[...language.flow.map((field) => field.key), "state", "tools", "nodes", "edges"]} /> : null}
          <Fields fields={ordered} bare={ordered.length === 1} />
          {tab.name === language.flow[0]?.tab ? <Beside id={scope.id} /> : null}
        </>
      ),
    };
  };
  const own = language.tabs.filter((tab) => drawn(tab.name).length).map(fieldTab);
  const lists: Tab[] = [
    { name: "channels", title: t("panel.tab.channels"), bad: bad("state"), body: () => <Channels /> },
    { name: "tools", title: t("panel.tab.tools"), bad: bad("tools"), body: () => <Tools /> },
  ];
  return (
    <WordOf word={word}>
      <Head
        sign={<KindIcon icon="workflow" hue="flow" title={word.name} />}
        title={word.name}
        kind=""
      />
      <Tabs key={LISTED[asked] ?? "flow"} tabs={[...own.slice(0, 2), ...lists, ...own.slice(2)]} base={[]} of={of} first={LISTED[asked]} />
    </WordOf>
  );
}

/** Where the rest of the flow is: its files, what it needs from this installation, and all of it as one file. */
function Beside({ id }: { id: string }): ReactNode {
  return (
    <nav className="ed-flow-links" aria-label={t("panel.beside")}>
      <a className="btn btn-small" href={`/flows/${id}/files`}>
        <Folder size={14} aria-hidden="true" />
        {t("panel.beside.files")}
      </a>
      <a className="btn btn-small" href={`/flows/${id}/needs`}>
        <CircleCheck size={14} aria-hidden="true" />
        {t("panel.beside.needs")}
      </a>
      <a className="btn btn-small" href={`/flows/${id}/export.zip`} download>
        <FolderArchive size={14} aria-hidden="true" />
        {t("panel.beside.export")}
      </a>
    </nav>
  );
}

function Channels(): ReactNode {
  const scope = useScope();
  const [find, setFind] = useState("");
  const channels = channelsOf(scope.flow);
  const inputs = names(scope.flow.inputs);
  const outputs = names(scope.flow.outputs);
  const entries = Object.entries(channels).filter(([name, raw]) => `${name} ${text(object(raw).description)}`.toLowerCase().includes(find.toLowerCase()));
  const many = Object.keys(channels).length > 12;
  return (
    <>
      {many ? (
        <div className="ed-search">
          <Search size={14} aria-hidden="true" />
          <input className="input" type="text" value={find} placeholder={t("panel.channel.find")} aria-label={t("panel.channel.find")} onChange={(event) => setFind(event.target.value)} />
        </div>
      ) : null}
      {Object.keys(channels).length ? null : <p className="ed-help">{t("panel.channel.none")}</p>}
      <ul className="ed-list">
        {entries.map(([name, raw]) => {
          const channel = object(raw);
          const ends = [...(inputs.includes(name) ? [t("panel.channel.input")] : []), ...(outputs.includes(name) ? [t("panel.channel.output")] : [])];
          const bad = problemsAt(scope.problems, pathOf(["state", name]), true).some((one) => one.level === "error");
          return (
            <Item
              key={name}
              sign={<Cable size={13} />}
              name={name}
              words={text(channel.description)}
              notes={[...ends, text(channel.type)]}
              bad={bad}
              onOpen={() => scope.open({ channel: name })}
            />
          );
        })}
      </ul>
      {scope.readOnly ? null : (
        <AddButton
          words={t("panel.channel.add")}
          onAdd={() => {
            const name = freeKey(channels, t("panel.channel.new"));
            const made = scope.edit(t("panel.create.channel", { name }), [{ op: "addChannel", name, channel: { type: "string", description: "" } }]);
            void made.then((ok) => ok && scope.open({ channel: name }));
          }}
        />
      )}
    </>
  );
}

function Tools(): ReactNode {
  const scope = useScope();
  const tools = toolsOf(scope.flow);
  const [pasting, setPasting] = useState(false);
  return (
    <>
      {tools.length ? null : <p className="ed-help">{t("panel.tool.none")}</p>}
      <ul className="ed-list">
        {tools.map((tool, at) => (
          <Item
            key={`${at} ${text(tool.name)}`}
            sign={<Wrench size={13} />}
            name={text(tool.name)}
            words={text(tool.description)}
            notes={[]}
            bad={problemsAt(scope.problems, `tools[${at}]`, true).some((one) => one.level === "error")}
            onOpen={() => scope.open({ tool: text(tool.name) })}
          />
        ))}
      </ul>
      {scope.readOnly ? null : (
        <div className="ed-adds">
          <AddButton
            words={t("panel.tool.add")}
            onAdd={() => {
              const taken = Object.fromEntries(tools.map((tool) => [text(tool.name), true]));
              const name = freeKey(taken, t("panel.tool.new"));
              const made = scope.edit(t("panel.create.tool", { name }), [{ op: "addTool", tool: { name, description: "", inputs: {} } }]);
              void made.then((ok) => ok && scope.open({ tool: name }));
            }}
          />
          <button type="button" className="btn btn-ghost btn-small" onClick={() => setPasting(true)}>
            <ClipboardPaste size={14} aria-hidden="true" />
            {t("panel.paste.open")}
          </button>
        </div>
      )}
      <Servers />
      {pasting ? <PasteTool onClose={() => setPasting(false)} /> : null}
    </>
  );
}

/** The tools of servers that the flow's steps may call: they are the flow's needs, and are connected elsewhere. */
function Servers(): ReactNode {
  const scope = useScope();
  const servers = serversOf(scope.flow);
  const canOperate = useEditor((state) => state.canOperate);
  if (!servers.length) return null;
  return (
    <section className="ed-servers" aria-label={t("panel.servers")}>
      <h3 className="ed-label">{t("panel.servers")}</h3>
      <ul className="ed-servers-list">
        {servers.map(([server, tools]) => (
          <li key={server}>
            <Server size={13} aria-hidden="true" />
            <span className="mono">{server}</span> <span className="tiny muted">{tools.join(", ")}</span>
          </li>
        ))}
      </ul>
      {canOperate ? <ServersLink id={scope.id} look="btn btn-small" /> : <p className="ed-help">{t("panel.servers.others")}</p>}
    </section>
  );
}

interface ItemProps {
  sign: ReactNode;
  name: string;
  words: string;
  notes: string[];
  bad: boolean;
  onOpen: () => void;
}

function Item({ sign, name, words, notes, bad, onOpen }: ItemProps): ReactNode {
  return (
    <li>
      <button type="button" className="ed-item" onClick={onOpen}>
        <span className="ed-item-sign" aria-hidden="true">
          {sign}
        </span>
        <span className="ed-item-text">
          <span className="ed-item-name mono clip">{name}</span>
          {words ? (
            <span className="ed-item-words clip" dir="auto">
              {words}
            </span>
          ) : null}
        </span>
        {bad ? <span className="dot dot-bad" /> : null}
        {notes.filter(Boolean).map((note) => (
          <span key={note} className="badge">
            {note}
          </span>
        ))}
      </button>
    </li>
  );
}
