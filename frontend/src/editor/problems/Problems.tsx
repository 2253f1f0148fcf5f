/** @jsxImportSource react */
import { CircleAlert, CircleCheck, Code, TriangleAlert } from "lucide-react";
import { Popover } from "radix-ui";
import { useMemo, useState, type ReactElement } from "react";
import { t, type StringKey } from "../../shared/strings";
import { editor } from "../store/editor";
import { useEditor } from "../store/state";
import type { Problem, UnitLine } from "../store/wire";
import { Fix } from "./Fix";

const KINDS: Record<UnitLine["kind"], StringKey> = {
  handler: "editor.kind.handler",
  router: "editor.kind.router",
  tool: "editor.kind.tool",
  service: "editor.kind.service",
};
const STATES: Record<UnitLine["state"], [StringKey, string]> = {
  current: ["editor.state.current", "badge badge-ok"],
  stale: ["editor.state.stale", "badge badge-warn"],
  edited: ["editor.state.edited", "badge"],
  missing: ["editor.state.missing", "badge badge-bad"],
  refused: ["editor.state.refused", "badge badge-bad"],
};

function Line({ problem, onJump }: { problem: Problem; onJump: () => void }): ReactElement {
  const error = problem.level === "error";
  return (
    <div className="ed-problem">
      <button
        type="button"
        className="problem problem-open"
        data-path={problem.path}
        title={problem.code}
        onClick={() => {
          onJump();
          editor.jump(problem.path);
        }}
      >
        <span className={error ? "dot dot-bad" : "dot dot-warn dot-square"} />
        <span dir="auto">
          <span className="sr">{t(error ? "editor.error" : "editor.warning")}: </span>
          {problem.message}
        </span>
        {problem.hint ? (
          <span className="problem-hint" dir="auto">
            {problem.hint}
          </span>
        ) : null}
        {problem.path ? <span className="problem-path">{problem.path}</span> : null}
      </button>
      <Fix problem={problem} />
    </div>
  );
}

function Unit({ flow, unit }: { flow: string; unit: UnitLine }): ReactElement {
  const [words, badge] = STATES[unit.state];
  return (
    <a className="item item-open ed-unit" href={`/flows/${flow}/units/${unit.kind}/${encodeURIComponent(unit.name)}`}>
      <span className="item-text">
        <span className="item-title mono clip">{unit.name}</span>
        <span className="item-sub">{t(KINDS[unit.kind])}</span>
      </span>
      <span className={badge}>{t(words)}</span>
    </a>
  );
}

const stands = (unit: UnitLine): boolean => unit.state === "missing" || unit.state === "refused" || unit.state === "stale";

/** How the draft stands: its problems, each of which leads to its place, and the code that it needs. */
export function Problems(): ReactElement {
  const problems = useEditor((state) => state.problems);
  const units = useEditor((state) => state.units);
  const flow = useEditor((state) => state.id);
  const [open, setOpen] = useState(false);
  const sorted = useMemo(() => [...problems].sort((one, two) => Number(one.level !== "error") - Number(two.level !== "error")), [problems]);
  const errors = problems.filter((one) => one.level === "error").length;
  const advice = problems.length - errors;
  const unwritten = units.filter(stands).length;
  const tone = errors ? "badge-bad" : advice ? "badge-warn" : "";
  const Drawing = errors ? CircleAlert : advice || unwritten ? TriangleAlert : CircleCheck;
  const words = errors ? t("edit.problems", { count: errors }) : advice ? t("edit.advice", { count: advice }) : unwritten ? t("edit.unwritten", { count: unwritten }) : t("edit.ready");
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={`badge badge-round ed-problems ${tone}`} data-problem-count={errors} aria-label={words}>
        <Drawing size={12} aria-hidden="true" />
        <span>{words}</span>
        <b className="ed-problems-count" aria-hidden="true">
          {errors || advice || unwritten || ""}
        </b>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="ed-popover ed-problem-list" align="start" sideOffset={6} collisionPadding={8} aria-label={t("edit.problems.title")}>
          <h2 className="overline">{t("edit.problems.title")}</h2>
          <div data-flow-problems="">
            {sorted.map((problem, at) => (
              <Line key={`${at} ${problem.code} ${problem.path}`} problem={problem} onJump={() => setOpen(false)} />
            ))}
            {problems.length ? null : (
              <p className="ed-problem-none">
                <CircleCheck size={15} className="ok" aria-hidden="true" />
                {t("editor.noProblems")}
              </p>
            )}
          </div>
          {units.length ? (
            <>
              <h2 className="overline">
                <Code size={12} aria-hidden="true" /> {t("edit.units")}
              </h2>
              <div className="list" data-flow-units="">
                {units.map((unit) => (
                  <Unit key={`${unit.kind}:${unit.name}`} flow={flow} unit={unit} />
                ))}
              </div>
            </>
          ) : null}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
