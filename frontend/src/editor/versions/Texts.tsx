/** @jsxImportSource react */
import { basicSetup } from "codemirror";
import { json } from "@codemirror/lang-json";
import { python } from "@codemirror/lang-python";
import { MergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef, type ReactElement } from "react";
import { look } from "../../code/look";

const shared = (of: "json" | "python", label: string): Extension => [basicSetup, of === "json" ? json() : python(), look(label), EditorState.readOnly.of(true), EditorView.lineWrapping];

/** A text to be read. */
export function Reading({ text, of, label }: { text: string; of: "json" | "python"; label: string }): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const view = new EditorView({ parent: host.current, state: EditorState.create({ doc: text, extensions: shared(of, label) }) });
    return () => view.destroy();
  }, [text, of, label]);
  return <div className="ed-text" ref={host} />;
}

/** Two texts side by side, what is the same folded away. */
export function Comparing({ old, text, of, labels }: { old: string; text: string; of: "json" | "python"; labels: [string, string] }): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const [before, after] = labels;
  useEffect(() => {
    if (!host.current) return;
    const view = new MergeView({
      parent: host.current,
      a: { doc: old, extensions: shared(of, before) },
      b: { doc: text, extensions: shared(of, after) },
      collapseUnchanged: { margin: 3, minSize: 6 },
      gutter: true,
    });
    return () => view.destroy();
  }, [old, text, of, before, after]);
  return <div className="ed-text ed-texts" ref={host} />;
}
