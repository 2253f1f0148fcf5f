import { render } from "preact";
import "../styles/fonts.css";
import "../styles/base.css";
import "../styles/flow.css";
import { readBoot } from "../shared/boot";
import { enhanceCode } from "./code";
import { Editor } from "./Editor";
import type { FlowBoot } from "./wire";

const place = document.querySelector("[data-flow-editor]");
if (place) {
  const places = {
    problems: document.querySelector("[data-flow-problems]"),
    units: document.querySelector("[data-flow-units]"),
    name: document.querySelector("[data-flow-name]"),
    saved: document.querySelector("[data-flow-saved]"),
    count: document.querySelector("[data-problem-count]"),
  };
  place.replaceChildren();
  render(<Editor boot={readBoot<FlowBoot>()} places={places} />, place);
}
for (const box of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-code]")) enhanceCode(box);
