/** @jsxImportSource react */
import { Check, CircleAlert, CircleDashed, CircleSlash, LoaderCircle } from "lucide-react";
import type { ReactElement } from "react";
import { t } from "../../shared/strings";
import { useEditor } from "../store/state";
import { isStale, tests, type Found } from "./kept";

const MARKS = { passed: Check, failed: CircleAlert, refused: CircleSlash, running: LoaderCircle, none: CircleDashed } as const;
const WORDS = {
  passed: "tests.state.passed",
  failed: "tests.state.failed",
  refused: "tests.state.refused",
  running: "tests.state.running",
  none: "tests.state.none",
} as const;
/** The trace's colours. */
const COLOURS = { passed: "done", failed: "failed", refused: "failed", running: "running", none: "none" } as const;

/** How a test stands: an icon, whose name screen readers hear; pale where the draft changed since. */
export function Mark({ found }: { found: Found | undefined }): ReactElement {
  const revision = useEditor((state) => state.documentRevision);
  const state = found?.result.state ?? "none";
  const files = tests((all) => all.files);
  const stale = found !== undefined && state !== "running" && isStale(found, revision, files);
  const words = stale ? t("tests.state.stale", { state: t(WORDS[state]) }) : t(WORDS[state]);
  const Drawing = MARKS[state];
  return (
    <span className="ed-trace-mark ed-test-mark" data-state={COLOURS[state]} data-stale={stale || undefined} role="img" aria-label={words} title={words}>
      <Drawing size={14} />
    </span>
  );
}
