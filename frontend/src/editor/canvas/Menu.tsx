/** @jsxImportSource react */
import { ContextMenu } from "radix-ui";
import { useState, type MouseEvent, type ReactElement, type ReactNode } from "react";
import { t, type StringKey } from "../../shared/strings";
import { editor } from "../store/editor";
import { labelOf, startOf, waysOf } from "../store/document";
import { store } from "../store/state";
import type { XY } from "../store/wire";
import { addComment, copied, cut, duplicate, putFragment, removeChosen, startWith } from "./acts";
import { readFragment, written } from "./clipboard";
import { commentOf } from "./graph";

type Over = { kind: "step"; id: string } | { kind: "comment"; id: string } | { kind: "line"; id: string } | { kind: "ground" };

export interface MenuProps {
  children: ReactNode;
  editable: boolean;
  toCanvas: (at: XY) => XY;
  onAdd: (at: XY, after: string | null, onlyThere: boolean) => void;
}

function overWhat(target: EventTarget | null): Over {
  if (!(target instanceof Element)) return { kind: "ground" };
  const node = target.closest<HTMLElement>(".react-flow__node");
  const id = node?.dataset.id;
  if (id && node?.classList.contains("react-flow__node-card")) return { kind: "step", id };
  const comment = id ? commentOf(id) : null;
  if (comment) return { kind: "comment", id: comment };
  const line = target.closest<SVGElement>(".react-flow__edge")?.dataset.id;
  return line ? { kind: "line", id: line } : { kind: "ground" };
}

function Item({ words, keys, act, danger }: { words: StringKey; keys?: string; act: () => void; danger?: boolean }): ReactElement {
  return (
    <ContextMenu.Item className={danger ? "menu-item menu-item-danger" : "menu-item"} onSelect={act}>
      {t(words)}
      {keys ? <kbd className="ed-context-keys">{keys}</kbd> : null}
    </ContextMenu.Item>
  );
}

async function copyChosen(): Promise<void> {
  const fragment = copied();
  if (!fragment) return;
  try {
    await navigator.clipboard.writeText(written(fragment));
  } catch {
    editor.notify(t("edit.clipboard"));
  }
}

async function pasteAt(at: XY): Promise<void> {
  try {
    const fragment = readFragment(await navigator.clipboard.readText());
    if (fragment) await putFragment(fragment, at);
    else editor.notify(t("edit.clipboardEmpty"));
  } catch {
    editor.notify(t("edit.clipboard"));
  }
}

const Rule = (): ReactElement => <ContextMenu.Separator className="menu-rule" />;

/** What can be done with what is under the pointer, or has the focus. */
export function Menu({ children, editable, toCanvas, onAdd }: MenuProps): ReactElement {
  const [over, setOver] = useState<Over>({ kind: "ground" });
  const [at, setAt] = useState<XY>({ x: 0, y: 0 });
  const open = (event: MouseEvent) => {
    const found = overWhat(event.target);
    setOver(found);
    setAt({ x: event.clientX, y: event.clientY });
    const { selection } = store.getState();
    if (found.kind === "step" && !selection.nodes.includes(found.id)) editor.choose({ nodes: [found.id] });
    if (found.kind === "comment") editor.choose({ comment: found.id });
  };
  const way = over.kind === "line" ? waysOf(store.getState().flow).find((each) => each.id === over.id) : undefined;
  const isStart = over.kind === "step" && startOf(store.getState().flow) === over.id;
  return (
    <ContextMenu.Root modal={false}>
      <ContextMenu.Trigger asChild onContextMenu={open}>
        {children}
      </ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Content className="ed-context" aria-label={over.kind === "step" ? t("edit.menu.label", { name: labelOf(over.id) }) : t("edit.menu.canvas")} collisionPadding={8}>
          {over.kind === "step" ? (
            <>
              <Item words="edit.menu.open" keys="Enter" act={() => editor.select({ nodes: [over.id] })} />
              {editable ? (
                <>
                  <Item words="edit.menu.connect" keys="C" act={() => onAdd(at, over.id, true)} />
                  <Item words="edit.menu.next" keys="N" act={() => onAdd(at, over.id, false)} />
                  {isStart ? null : <Item words="edit.menu.start" act={() => void startWith(over.id)} />}
                  <Rule />
                </>
              ) : null}
              <Item words="edit.menu.copy" keys="Ctrl C" act={() => void copyChosen()} />
              {editable ? (
                <>
                  <Item words="edit.menu.duplicate" keys="Ctrl D" act={duplicate} />
                  <Rule />
                  <Item words="edit.menu.remove" keys="Del" danger act={() => removeChosen([])} />
                  <Item words="edit.menu.removeGap" keys="Shift Del" danger act={() => removeChosen([], false)} />
                </>
              ) : null}
            </>
          ) : null}
          {over.kind === "line" && way ? (
            <>
              {way.kind === "plain" || way.kind === "route" ? <Item words="edit.menu.open" act={() => editor.select({ edges: [{ from: way.from, to: way.to, ...(way.route === undefined ? {} : { route: way.route }) }] })} /> : null}
              {editable ? <Item words="edit.menu.removeLine" keys="Del" danger act={() => void editor.edit("", [cut(way)])} /> : null}
            </>
          ) : null}
          {over.kind === "comment" && editable ? <Item words="edit.menu.remove" keys="Del" danger act={() => removeChosen([])} /> : null}
          {over.kind === "ground" ? (
            <>
              {editable ? (
                <>
                  <Item words="edit.palette.open" keys="N" act={() => onAdd(at, null, false)} />
                  <Item words="edit.tools.comment" act={() => addComment(toCanvas(at))} />
                  <Item words="edit.menu.paste" keys="Ctrl V" act={() => void pasteAt(toCanvas(at))} />
                  <Rule />
                </>
              ) : null}
              <Item words="edit.tools.find" keys="/" act={() => editor.setFinding(true)} />
              <Item words="edit.menu.flow" act={() => editor.select({ part: { flow: "" } })} />
            </>
          ) : null}
        </ContextMenu.Content>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  );
}
