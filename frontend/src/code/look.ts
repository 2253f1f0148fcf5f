import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView, showPanel } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The editor in the page's own colours; it follows light and dark by itself. */
const theme = EditorView.theme({
  "&": { blockSize: "100%", backgroundColor: "var(--paper)", color: "var(--ink)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", fontVariantLigatures: "none", overflow: "auto" },
  ".cm-content": { padding: "12px 0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 16px 0 6px" },
  ".cm-cursor": { borderInlineStartColor: "var(--accent)", borderInlineStartWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--ink-3)", border: "none", paddingInlineStart: "8px" },
  ".cm-lineNumbers .cm-gutterElement": { minInlineSize: "28px", fontVariantNumeric: "tabular-nums", opacity: ".8" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in oklab, var(--ink) 3%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in oklab, var(--accent) 22%, transparent)",
  },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in oklab, var(--accent) 12%, transparent)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "color-mix(in oklab, var(--accent) 20%, transparent)", outline: "none" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--sunk)", border: "none", color: "var(--ink-2)", padding: "0 6px", borderRadius: "4px" },
  ".cm-foldGutter .cm-gutterElement": { color: "var(--ink-3)", cursor: "pointer" },
  ".cm-gutter-lint": { inlineSize: "14px" },
  ".cm-lint-marker": { inlineSize: "8px", blockSize: "8px", marginBlockStart: "6px", content: "none", borderRadius: "50%" },
  ".cm-lint-marker-error": { backgroundColor: "var(--bad)", content: "none" },
  ".cm-lint-marker-warning": { backgroundColor: "var(--warn)", content: "none", borderRadius: "2px", transform: "rotate(45deg)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textDecorationSkipInk: "none", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn)", textDecorationSkipInk: "none", textUnderlineOffset: "3px" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", border: "1px solid var(--line)", borderRadius: "10px", boxShadow: "var(--shadow-2)", maxInlineSize: "440px", overflow: "hidden" },
  ".cm-diagnostic": { padding: "8px 12px", font: "var(--t-13)", border: "none", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderInlineStart: "3px solid var(--bad)" },
  ".cm-diagnostic-warning": { borderInlineStart: "3px solid var(--warn)" },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--ink)", font: "var(--t-13)" },
  ".cm-panels.cm-panels-top": { borderBlockEnd: "1px solid var(--line)" },
  ".cm-panels.cm-panels-bottom": { borderBlockStart: "1px solid var(--line)" },
  ".cm-says": { padding: "5px 16px", font: "var(--t-12)", color: "var(--ink-3)" },
  ".cm-panel.cm-search": { padding: "8px 12px", display: "flex", flexWrap: "wrap", gap: "6px", alignItems: "center" },
  ".cm-panel.cm-search br": { flexBasis: "100%" },
  ".cm-panel.cm-search label": { font: "var(--t-12)", color: "var(--ink-2)", display: "inline-flex", gap: "4px", alignItems: "center" },
  ".cm-textfield": { backgroundColor: "var(--paper)", border: "1px solid var(--line-strong)", borderRadius: "7px", padding: "4px 8px", color: "var(--ink)", font: "var(--t-13)", margin: "0" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--raised)", border: "1px solid var(--line-strong)", borderRadius: "7px", padding: "4px 10px", color: "var(--ink)", font: "500 12px/18px var(--font)", margin: "0" },
  ".cm-panel.cm-search [name=close]": { position: "static", marginInlineStart: "auto", color: "var(--ink-2)", fontSize: "18px" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-soft)", outline: "1px solid color-mix(in oklab, var(--warn) 40%, transparent)" },
  ".cm-searchMatch-selected": { backgroundColor: "color-mix(in oklab, var(--warn) 35%, transparent)" },
  ".cm-changedLine": { backgroundColor: "color-mix(in oklab, var(--ok) 10%, transparent) !important" },
  ".cm-deletedChunk": { backgroundColor: "color-mix(in oklab, var(--bad) 10%, transparent)", paddingInlineStart: "6px" },
  ".cm-changedText": { background: "color-mix(in oklab, var(--ok) 26%, transparent) !important" },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--k-data)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--k-tools)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--k-people)" },
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], color: "var(--k-model)" },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName))], color: "var(--k-data)" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: "var(--ink-3)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.bracket, tags.operator], color: "var(--ink-2)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

/** CodeMirror puts its styles into style elements, which the page's policy allows by nonce. */
function nonce(): string {
  const meta = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]");
  return meta?.nonce || meta?.content || document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce || "";
}

/** A line below code in which Tab indents: the one key that a person without a mouse has to be told. */
export function saysTab(words: string): Extension {
  const panel = () => {
    const dom = document.createElement("div");
    dom.className = "cm-says";
    dom.textContent = words;
    return { dom };
  };
  return [showPanel.of(panel), EditorView.contentAttributes.of({ "aria-description": words })];
}

export function look(label: string): Extension {
  return [theme, syntaxHighlighting(colours), EditorView.cspNonce.of(nonce()), EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" })];
}
