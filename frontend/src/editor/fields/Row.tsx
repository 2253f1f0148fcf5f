/** @jsxImportSource react */
import { CircleHelp } from "lucide-react";
import { useId, type ReactNode } from "react";
import type { Field, Widget } from "../../generated/language";
import { t } from "../../shared/strings";
import { Fix } from "../problems/Fix";
import type { Json, JsonObject, Problem } from "../store/wire";
import { INPUTS } from "./inputs";
import { problemsAt, useCompact, usePlace, useScope, type Steps } from "./scope";

/** What every input gets. path: from the word; at: from the document. */
export interface InputProps {
  field: Field;
  value: Json | undefined;
  holder: JsonObject;
  set: (value: Json | undefined) => void;
  path: Steps;
  at: string;
  id: string;
  /** The words that describe it: its help and what is wrong with it. */
  saidBy: string | undefined;
  bad: boolean;
  readOnly: boolean;
  /** Its name, where no label stands above it. */
  name: string;
  /** Sent as a whole: with Enter, or by going on. */
  whole?: boolean;
}

/** Inputs that draw further fields, or entries, each of which says its own problems. Chips have no room for theirs. */
const HOLDS: ReadonlySet<Widget> = new Set(["object", "fields", "schema", "map"]);
const holds = (field: Field): boolean => HOLDS.has(field.widget) || (field.widget === "list" && field.of?.widget !== "channel");
/** Inputs whose parts have labels of their own. */
const GROUPS: ReadonlySet<Widget> = new Set(["object", "fields", "schema", "map"]);

export function FieldRow({ field, path, bare = false }: { field: Field; path: Steps; bare?: boolean }): ReactNode {
  const { label } = field;
  const scope = useScope();
  const compact = useCompact();
  const id = useId();
  const place = usePlace(path, label);
  const found = problemsAt(scope.problems, place.at, !holds(field));
  const bad = found.some((one) => one.level === "error");
  const says = found.length > 0;
  const Input = INPUTS[field.widget];
  const group = GROUPS.has(field.widget);
  const saidBy = says || field.help ? `${id}-said` : undefined;
  const head = (
    <>
      {label}
      {field.required ? null : <span className="sr">{t("panel.optional")}</span>}
    </>
  );
  const input = (
    <Input
      field={field}
      value={place.value}
      holder={place.holder}
      set={place.set}
      path={path}
      at={place.at}
      id={id}
      saidBy={saidBy}
      bad={bad}
      readOnly={scope.readOnly || field.widget === "shown"}
      name={label}
    />
  );
  return (
    <div className="ed-field" data-path={place.at} data-widget={field.widget} role={group ? "group" : undefined} aria-labelledby={group ? `${id}-label` : undefined}>
      {field.widget === "switch" ? null : (
        <div className={bare ? "sr" : "ed-label"}>
          {group ? <span id={`${id}-label`}>{head}</span> : <label htmlFor={id}>{head}</label>}
          {compact && field.help ? <Hint words={field.help} /> : null}
        </div>
      )}
      {group && !says && field.help ? <p className={compact ? "sr" : "ed-help"}>{field.help}</p> : null}
      {input}
      <div id={saidBy}>
        {found.map((one, at) => (
          <Problems key={at} problem={one} />
        ))}
        {says || !field.help || group ? null : <p className={compact ? "sr" : "ed-help"}>{field.help}</p>}
      </div>
    </div>
  );
}

export function Problems({ problem }: { problem: Problem }): ReactNode {
  return (
    <p className="ed-wrong" data-level={problem.level} data-code={problem.code} dir="auto">
      {problem.message}
      {problem.hint ? <span className="ed-wrong-hint"> {problem.hint}</span> : null}
      <Fix problem={problem} />
    </p>
  );
}

/** What a field means, where there is no room for the sentence. */
export function Hint({ words }: { words: string }): ReactNode {
  return (
    <span className="ed-hint" title={words} aria-hidden="true">
      <CircleHelp size={12} />
    </span>
  );
}
