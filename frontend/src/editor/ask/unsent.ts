import { useEffect, useState } from "react";

const key = (flow: string): string => `ask.${flow}`;

function read(flow: string): string {
  try {
    return sessionStorage.getItem(key(flow)) ?? "";
  } catch {
    return "";
  }
}

/** What was typed and not sent: it survives a refresh of this window. */
export function useUnsent(flow: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => read(flow));
  useEffect(() => setText(read(flow)), [flow]);
  const write = (next: string) => {
    setText(next);
    try {
      if (next) sessionStorage.setItem(key(flow), next);
      else sessionStorage.removeItem(key(flow));
    } catch {
      // A browser that stores nothing keeps it in the box alone.
    }
  };
  return [text, write];
}
