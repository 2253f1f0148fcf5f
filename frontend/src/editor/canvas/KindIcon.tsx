/** @jsxImportSource react */
import type { ReactElement } from "react";
import { iconOf } from "./kinds";

/** The square of a kind: its icon on its group's hue; without an icon of that name, the first letter of its title. */
export function KindIcon({ icon, hue, title, size = 22 }: { icon: string; hue: string; title: string; size?: number }): ReactElement {
  const Drawing = iconOf(icon);
  return (
    <span className="ed-kind" data-hue={hue} style={{ inlineSize: size, blockSize: size }} aria-hidden="true">
      {Drawing ? <Drawing size={Math.round(size * 0.6)} strokeWidth={2} /> : title.slice(0, 1).toUpperCase()}
    </span>
  );
}
