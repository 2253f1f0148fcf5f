import { useEffect } from "react";
import { editor } from "../store/editor";
import { useEditor } from "../store/state";
import { begin, readFiles, readRun, tests } from "./kept";

const SETTLED = 500;
const OFTEN = 1500;

/** Keeps files and results as they are on the server while the pane is open. */
export function useTests(): void {
  const id = useEditor((state) => state.id);
  const revision = useEditor((state) => state.revision);
  const working = tests((state) => (state.run?.state === "working" ? state.run.id : null));
  useEffect(() => begin(id), [id]);
  // What is wrong with a file depends on the draft: it is read again when that has rested for a moment.
  useEffect(() => {
    const timer = setTimeout(() => void readFiles(), tests.getState().files === null ? 0 : SETTLED);
    return () => clearTimeout(timer);
  }, [id, revision]);
  useEffect(
    () =>
      editor.hear((poke) => {
        if (poke.type === "files") void readFiles();
        if (poke.type === "tests" && poke.id) void readRun(poke.id);
      }),
    [id],
  );
  // News may be lost; a run that works is asked about all the same.
  useEffect(() => {
    if (working === null) return;
    const timer = setInterval(() => void readRun(working), OFTEN);
    return () => clearInterval(timer);
  }, [working]);
}
