import { useEffect, useState } from "react";
import type { Trace } from "../../generated/runs";
import { asApiError, get } from "../../shared/api";
import { editor } from "../store/editor";
import { freshSteps, viewOf, type Report } from "./view";

const SOON = 120;

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
  const mine = trace?.run === run ? trace : null;
  useEffect(() => {
    if (run !== null) editor.setRun(viewOf(run, freshSteps(mine, report.steps)));
  }, [run, mine, report.steps]);
  return mine;
}
