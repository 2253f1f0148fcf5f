/** @jsxImportSource react */
import type { ReactNode } from "react";
import { useScope, type Opened } from "../fields/scope";

/** What names the thing at hand; a click opens it. */
export function Used({ words, parts }: { words: string; parts: readonly { name: string; part: Opened }[] }): ReactNode {
  const scope = useScope();
  if (!parts.length) return null;
  return (
    <div className="ed-used">
      <span className="ed-used-words">{words}</span>
      <span className="ed-used-parts">
        {parts.map((one, at) => (
          <button key={`${at} ${one.name}`} type="button" className="ed-used-part" onClick={() => scope.open(one.part)}>
            {one.name}
          </button>
        ))}
      </span>
    </div>
  );
}
