import { useEffect, useState } from "react";
import { useEditor } from "../store/state";

/** The box of a panel in which somebody types. */
function typedIn(): Element | null {
  const box = document.activeElement;
  return box?.matches("input:not([type=checkbox]), textarea, [contenteditable=true]") && box.closest(".ed-panel") ? box : null;
}

/** Is the panel there to read only, because a proposal waits to be decided on? Who was typing when it came ends the field first. */
export function useHeld(): boolean {
  const waits = useEditor((state) => state.proposal !== null);
  const selection = useEditor((state) => state.selection);
  const [held, setHeld] = useState(waits);
  useEffect(() => {
    const box = waits && !held ? typedIn() : null;
    if (!box) {
      setHeld(waits);
      return;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const left = (event: FocusEvent) => {
      // What the field does when it is left comes first. Another window leaves the focus where it is.
      if (event.target === box) timer = setTimeout(() => document.activeElement !== box && setHeld(true), 0);
    };
    document.addEventListener("focusout", left);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("focusout", left);
    };
  }, [waits, held, selection]);
  return held && waits;
}
