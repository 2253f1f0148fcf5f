import "../styles/fonts.css";
import "../styles/base.css";
import "../styles/code.css";
import { enhanceCode } from "./code";

for (const box of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-code]")) enhanceCode(box);
