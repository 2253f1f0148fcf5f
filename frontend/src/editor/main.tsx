/** @jsxImportSource react */
import "./words";
import { createRoot } from "react-dom/client";
import "../styles/fonts.css";
import "../styles/base.css";
import "@xyflow/react/dist/base.css";
import "../styles/editor.css";
import { asApiError, get } from "../shared/api";
import { mountPoint, readBoot } from "../shared/boot";
import { ignoreDrops } from "../shared/drops";
import { Editor } from "./Editor";
import { editor } from "./store/editor";
import type { Around, EditorBoot, Language } from "./store/wire";

// The primitives that lock the page's scrolling put a style into it, which the page's policy allows by nonce.
Object.assign(window, { __webpack_nonce__: document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "" });

ignoreDrops();
const boot = readBoot<EditorBoot>();
editor.boot(boot, readBoot<Around>("around"));

/** Palette and panels need the language: it is asked for until it is there. */
function readLanguage(pause = 1500): void {
  get<Language>(boot.language).then(editor.setLanguage, (thrown: unknown) => {
    asApiError(thrown);
    setTimeout(() => readLanguage(Math.min(20_000, pause * 2)), pause);
  });
}
readLanguage();

const bar = document.querySelector("[data-editor-bar]");
bar?.replaceChildren();
createRoot(mountPoint()).render(<Editor bar={bar} />);
