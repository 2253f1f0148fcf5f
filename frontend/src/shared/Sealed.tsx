import { render, type ComponentChildren, type JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import buttons from "../styles/parts/button.css?inline";
import fields from "../styles/parts/field.css?inline";
import card from "../styles/sealed.css?inline";
import tokens from "../styles/tokens.css?inline";
import values from "../styles/value.css?inline";
import { useTheme } from "./hooks";

/** The page's tokens under the card's own root: what an author sets on the page's variables ends at the card's edge. */
function sheet(): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(tokens.replaceAll(":root", ".sealed").replace(/(^|[,}\s])\[data-theme=/g, "$1.sealed[data-theme=") + values + buttons + fields + card);
  return made;
}

let kept: CSSStyleSheet | undefined;

/** Outside a closed root every key seems to come from the card itself: what is typed into a field must not be taken for a
 * key of the page. */
function keepTyping(event: KeyboardEvent): void {
  const target = event.target;
  if (target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) event.stopPropagation();
}

/** Draws its content in a closed shadow root that no style sheet of the page reaches. */
export function Sealed({ children, label }: { children: ComponentChildren; label: string }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const root = useRef<ShadowRoot | null>(null);
  const theme = useTheme();
  useLayoutEffect(() => {
    if (!host.current) return;
    if (!root.current) {
      root.current = host.current.attachShadow({ mode: "closed" });
      root.current.adoptedStyleSheets = [(kept ??= sheet())];
    }
    render(
      <div class="sealed" data-theme={theme} onKeyDown={keepTyping}>
        {children}
      </div>,
      root.current,
    );
  });
  useLayoutEffect(
    () => () => {
      if (root.current) render(null, root.current);
    },
    [],
  );
  return <div ref={host} class="sealed-host" role="group" aria-label={label} />;
}
