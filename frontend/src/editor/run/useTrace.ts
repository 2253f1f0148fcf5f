import { useEffect, useRef, useState } from "react";
import type { Trace } from "../../generated/runs";
import { asApiError, get } from "../../shared/api";
import { editor } from "../store/editor";
import { store } from "../store/state";
import { freshSteps, viewOf, type Report } from "./view";

const SOON = 120;
const OFTEN = 1500;

const isOver = (trace: Trace): boolean => trace.status === "done" || trace.status === "failed" || trace.status === "cancelled" || trace.status === "lost";

/** Looks after a run whose chat was closed, so that no step is shown at work for ever. Returns how to stop. */
function lookAfter(run: string): () => void {
  let timer = setTimeout(look, OFTEN);
  function look(): void {
    get<Trace>(`/api/runs/${run}/steps`)
      .then((trace) => {
        if (store.getState().run?.run !== run) return;
        editor.setRun(viewOf(run, trace.steps));
        if (!isOver(trace)) timer = setTimeout(look, OFTEN);
      })
      .catch((thrown: unknown) => {
        asApiError(thrown);
      });
  }
  return () => clearTimeout(timer);
}

let after: (() => void) | null = null;

/** The run that the chat is about, step by step, read again whenever the chat says that something happened. */
export function useTrace(report: Report): Trace | null {
  const [trace, setTrace] = useState<Trace | null>(null);
  const { run } = report;
  useEffect(() => {
    if (run === null) {
      setTrace(null);
      editor.setRun(null);
      return;
    }
    let over = false;
    const timer = setTimeout(() => {
      get<Trace>(`/api/runs/${run}/steps`)
        .then((found) => {
          if (!over) setTrace(found);
        })
        .catch((thrown: unknown) => {
          // What the chat told stands; the next thing that happens asks again.
          asApiError(thrown);
        });
    }, SOON);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [run, report]);
  const latest = useRef({ run, working: false });
  latest.current = { run, working: report.status !== "idle" };
  useEffect(() => {
    after?.();
    after = null;
    return () => {
      const { run: left, working } = latest.current;
      if (left !== null && working) after = lookAfter(left);
    };
  }, []);
  const mine = trace?.run === run ? trace : null;
  useEffect(() => {
    if (run !== null) editor.setRun(viewOf(run, freshSteps(mine, report.steps)));
  }, [run, mine, report.steps]);
  return mine;
}
