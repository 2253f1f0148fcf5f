import type { IconNode } from "lucide";
import { h, type JSX } from "preact";

/** An icon of the library, drawn as nodes. It is decoration unless it has a label. */
export function Icon({ of, size = 16, label, flip }: { of: IconNode; size?: number; label?: string; flip?: boolean }): JSX.Element {
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      class={flip ? "icon icon-flip" : "icon"}
      width={size}
      height={size}
      style={size === 16 ? undefined : { inlineSize: `${size}px`, blockSize: `${size}px` }}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden={label ? undefined : "true"}
      role={label ? "img" : undefined}
      aria-label={label}
    >
      {of.map(([tag, attributes]) => h(tag, { ...attributes } as never))}
    </svg>
  );
}
