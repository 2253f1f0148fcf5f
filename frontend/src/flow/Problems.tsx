import { CircleCheck } from "lucide";
import type { JSX } from "preact";
import { Icon } from "../shared/Icon";
import { t } from "../shared/strings";
import type { Problem } from "./wire";

/** Every problem of the draft; one click goes to its place. */
export function Problems({ problems, onJump }: { problems: readonly Problem[]; onJump: (path: string) => void }): JSX.Element {
  if (!problems.length) {
    return (
      <p class="card-pad small row">
        <span class="ok">
          <Icon of={CircleCheck} />
        </span>
        {t("editor.noProblems")}
      </p>
    );
  }
  return (
    <>
      {problems.map((problem, at) => (
        <button key={`${at} ${problem.code} ${problem.path}`} type="button" class="problem problem-open" data-path={problem.path} title={problem.code} onClick={() => onJump(problem.path)}>
          <span class={problem.level === "error" ? "dot dot-bad" : "dot dot-warn dot-square"} />
          <span dir="auto">
            <span class="sr">{t(problem.level === "error" ? "editor.error" : "editor.warning")}: </span>
            {problem.message}
          </span>
          {problem.hint ? (
            <span class="problem-hint" dir="auto">
              {problem.hint}
            </span>
          ) : null}
          {problem.path ? <span class="problem-path">{problem.path}</span> : null}
        </button>
      ))}
    </>
  );
}
