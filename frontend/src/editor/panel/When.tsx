/** @jsxImportSource react */
import { Plus, X } from "lucide-react";
import { useEffect, useId, useMemo, useState, type ReactNode } from "react";
import { t, type StringKey } from "../../shared/strings";
import { Combo } from "../fields/Combo";
import { useKey } from "../fields/Line";
import { isPath, readables } from "../fields/paths";
import { setting, useScope, useWord } from "../fields/scope";
import { useTyping } from "../fields/typing";
import { pathOf } from "../store/paths";
import { isWhole, readWhen, whenWords, type Comparison, type Sentence, type Test, type Wanted } from "./when";

type Mode = "conditions" | "words" | "rest";

const TESTS: readonly Test[] = ["is", "isNot", "oneOf", "empty", "notEmpty", "hasAtLeast", "atLeast", "moreThan", "atMost", "lessThan"];
const WORDS: Record<Test, StringKey> = {
  is: "panel.when.test.is",
  isNot: "panel.when.test.isNot",
  oneOf: "panel.when.test.oneOf",
  empty: "panel.when.test.empty",
  notEmpty: "panel.when.test.notEmpty",
  hasAtLeast: "panel.when.test.hasAtLeast",
  atLeast: "panel.when.test.atLeast",
  moreThan: "panel.when.test.moreThan",
  atMost: "panel.when.test.atMost",
  lessThan: "panel.when.test.lessThan",
};
const NUMBERS: ReadonlySet<Test> = new Set(["hasAtLeast", "atLeast", "moreThan", "atMost", "lessThan"]);
const NOTHING: ReadonlySet<Test> = new Set(["empty", "notEmpty"]);
/** Which comparisons fit what a channel holds; of what is not known, all. */
const FITS: Record<string, readonly Test[]> = {
  string: ["is", "isNot", "oneOf", "empty", "notEmpty"],
  number: ["is", "isNot", "atLeast", "moreThan", "atMost", "lessThan", "empty", "notEmpty"],
  boolean: ["is", "isNot", "empty", "notEmpty"],
  list: ["empty", "notEmpty", "hasAtLeast"],
  object: ["empty", "notEmpty"],
  file: ["empty", "notEmpty"],
};

const BLANK: Comparison = { path: "", test: "is", values: [] };

function modeOf(sentence: string): Mode {
  if (!sentence.trim()) return "conditions";
  const read = readWhen(sentence);
  return read === null ? "words" : read.otherwise ? "rest" : "conditions";
}

/** When a route is taken: conditions that become code as they stand, a sentence of one's own, or whatever is left. */
export function When({ route, sentence, bad }: { route: string; sentence: string; bad: boolean }): ReactNode {
  const scope = useScope();
  const word = useWord();
  const [mode, setMode] = useState<Mode>(() => modeOf(sentence));
  const put = (next: string) => {
    if (next !== sentence) void scope.edit(t("panel.when.change", { name: route }), [setting(word, ["when", route], next)]);
  };
  // Somebody else, undo or the Ask bar may say it in another way.
  const [said, setSaid] = useState(sentence);
  useEffect(() => {
    if (sentence === said) return;
    setSaid(sentence);
    const now = modeOf(sentence);
    if (now !== mode && !(mode === "words" && sentence.trim() && now === "conditions")) setMode(now);
  }, [sentence, said, mode]);
  const turn = (next: Mode) => {
    setMode(next);
    if (next === "rest") put(whenWords({ otherwise: true }));
    else if (next === "conditions" && readWhen(sentence)?.otherwise === true) put("");
  };
  const modes: [Mode, StringKey][] = [
    ["conditions", "panel.when.conditions"],
    ["words", "panel.when.words"],
    ["rest", "panel.when.rest"],
  ];
  return (
    <>
      <div className="segments ed-segments" role="group" aria-label={t("panel.when.mode", { name: route })}>
        {modes.map(([each, words]) => (
          <button key={each} type="button" className="segment" aria-pressed={mode === each} disabled={scope.readOnly} onClick={() => turn(each)}>
            {t(words)}
          </button>
        ))}
      </div>
      {mode === "rest" ? <p className="ed-help">{t("panel.when.rest.help")}</p> : null}
      {mode === "words" ? <Free route={route} sentence={sentence} put={put} bad={bad} /> : null}
      {mode === "conditions" ? <Conditions route={route} sentence={sentence} put={put} bad={bad} /> : null}
    </>
  );
}

function Free({ route, sentence, put, bad }: { route: string; sentence: string; put: (next: string) => void; bad: boolean }): ReactNode {
  const scope = useScope();
  const word = useWord();
  const id = useId();
  const key = useKey(pathOf([...word.base, "when", route]));
  const typing = useTyping<string>(key, sentence, (typed) => ({ value: typed }), put);
  return (
    <>
      <div className="ed-grow" data-text={`${typing.text} `}>
        <textarea
          className="textarea"
          rows={2}
          value={typing.text}
          readOnly={scope.readOnly}
          aria-label={t("panel.edge.when.of", { name: route })}
          aria-describedby={id}
          aria-invalid={bad || undefined}
          dir="auto"
          onChange={(event) => typing.type(event.target.value)}
          onBlur={typing.settle}
        />
      </div>
      <p id={id} className="ed-help">
        {t(readWhen(typing.text) ? "panel.when.regular" : "panel.when.free")}
      </p>
    </>
  );
}

const anyOf = (sentence: Sentence | null): Comparison[][] => (sentence && !sentence.otherwise ? sentence.any : [[BLANK]]);

/** The conditions as rows. What is not filled in yet stays here and is not sent. */
function Conditions({ route, sentence, put, bad }: { route: string; sentence: string; put: (next: string) => void; bad: boolean }): ReactNode {
  const scope = useScope();
  const [any, setAny] = useState<Comparison[][]>(() => anyOf(readWhen(sentence)));
  const [sent, setSent] = useState(sentence);
  useEffect(() => {
    if (sentence === sent) return;
    setSent(sentence);
    const read = readWhen(sentence);
    if (read && !read.otherwise) setAny(read.any);
  }, [sentence, sent]);
  const change = (next: Comparison[][]) => {
    const kept = next.filter((every) => every.length);
    const rows = kept.length ? kept : [[BLANK]];
    setAny(rows);
    const whole: Sentence = { otherwise: false, any: rows };
    if (!isWhole(whole)) return;
    const words = whenWords(whole);
    setSent(words);
    put(words);
  };
  const replace = (group: number, row: number, one: Comparison | null) =>
    change(any.map((every, at) => (at !== group ? every : every.flatMap((each, index) => (index !== row ? [each] : one ? [one] : [])))));
  return (
    <div className="ed-when">
      {any.map((every, group) => (
        <div key={group} className="ed-when-group">
          {group > 0 ? <p className="ed-when-or">{t("panel.when.or")}</p> : null}
          {every.map((one, row) => (
            <Row
              key={row}
              route={route}
              place={`${group} ${row}`}
              joined={row > 0}
              one={one}
              onChange={(next) => replace(group, row, next)}
              onRemove={any.length === 1 && every.length === 1 ? null : () => replace(group, row, null)}
            />
          ))}
          {scope.readOnly ? null : (
            <div className="ed-acts">
              <button type="button" className="ed-act" onClick={() => change(any.map((each, at) => (at === group ? [...each, BLANK] : each)))}>
                <Plus size={13} />
                {t("panel.when.addAnd")}
              </button>
              {group === any.length - 1 ? (
                <button type="button" className="ed-act" onClick={() => change([...any, [BLANK]])}>
                  <Plus size={13} />
                  {t("panel.when.addOr")}
                </button>
              ) : null}
            </div>
          )}
        </div>
      ))}
      {bad || sentence.trim() || any.some((every) => every.some((one) => one.path)) ? null : <p className="ed-help">{t("panel.when.begin")}</p>}
      {!isWhole({ otherwise: false, any }) && any.some((every) => every.some((one) => one.path)) ? (
        <p className="ed-wrong" data-level="warning" role="status">
          {t("panel.when.unfinished")}
        </p>
      ) : null}
    </div>
  );
}

interface RowProps {
  route: string;
  place: string;
  joined: boolean;
  one: Comparison;
  onChange: (one: Comparison) => void;
  onRemove: (() => void) | null;
}

function Row({ route, place, joined, one, onChange, onRemove }: RowProps): ReactNode {
  const scope = useScope();
  const id = useId();
  const known = useMemo(() => readables(scope.flow, scope.language), [scope.flow, scope.language]);
  const type = known.find((each) => each.path === one.path)?.type ?? "";
  const fits = FITS[type] ?? TESTS;
  const tests = fits.includes(one.test) ? fits : [one.test, ...fits];
  const setTest = (test: Test) => {
    const numbers = one.values.filter((each) => typeof each === "number");
    const values = NOTHING.has(test) ? [] : NUMBERS.has(test) ? numbers.slice(0, 1) : test === "oneOf" ? one.values : one.values.slice(0, 1);
    onChange({ ...one, test, values });
  };
  const setPath = (path: string) => {
    const next = known.find((each) => each.path === path)?.type ?? "";
    const allowed = FITS[next] ?? TESTS;
    const test = allowed.includes(one.test) ? one.test : (allowed[0] ?? "is");
    const values = NOTHING.has(test) ? [] : next === "boolean" && typeof one.values[0] !== "boolean" ? [true] : one.values;
    onChange({ path, test, values });
  };
  return (
    <div className="ed-when-row">
      {joined ? <span className="ed-when-and">{t("panel.when.and")}</span> : null}
      <Combo
        id={`${id}-path`}
        value={one.path}
        options={known.map((each) => ({ value: each.path, note: each.type }))}
        onChoose={(path) => isPath(path) && setPath(path)}
        free
        mono
        name={t("panel.when.read")}
        placeholder={t("panel.pick.channel")}
        readOnly={scope.readOnly}
      />
      <span className="ed-when-test">
        <Combo
          id={`${id}-test`}
          value={one.test}
          options={tests.map((each) => ({ value: each, label: t(WORDS[each]) }))}
          onChoose={(next) => {
            const test = TESTS.find((each) => each === next);
            if (test) setTest(test);
          }}
          name={t("panel.when.test")}
          readOnly={scope.readOnly}
        />
        {NOTHING.has(one.test) ? null : <Compared route={route} place={place} one={one} type={type} onChange={(values) => onChange({ ...one, values })} />}
        {onRemove && !scope.readOnly ? (
          <button type="button" className="ed-icon ed-icon-bad" aria-label={t("panel.remove")} title={t("panel.remove")} onClick={onRemove}>
            <X size={13} />
          </button>
        ) : null}
      </span>
    </div>
  );
}

const NUMBER = /^-?\d+(\.\d+)?$/;

/** A typed value: true, false and numbers where the channel holds such; else text. */
function meant(typed: string, type: string): Wanted {
  const plain = typed.trim();
  if (type !== "string" && (plain === "true" || plain === "false")) return plain === "true";
  if (type !== "string" && NUMBER.test(plain)) return Number(plain);
  return /^"[^]*"$/.test(plain) && plain.length > 1 ? plain.slice(1, -1).replace(/\\(.)/g, "$1") : typed;
}

/** A value as it is typed: text that would be read as something else stands in quotes. */
function shown(value: Wanted, type: string, several: boolean): string {
  const plain = typeof value !== "string" || (meant(value, type) === value && !(several && /,|^\s|\s$/.test(value)));
  return plain ? String(value) : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/** Values between commas; a comma in quotes belongs to its value. */
const split = (typed: string): string[] => (typed.match(/\s*"(?:[^"\\]|\\.)*"\s*|[^,]+/g) ?? []).map((each) => each.trim()).filter(Boolean);

function Compared({ route, place, one, type, onChange }: { route: string; place: string; one: Comparison; type: string; onChange: (values: Wanted[]) => void }): ReactNode {
  const scope = useScope();
  const word = useWord();
  const id = useId();
  const wantsNumber = NUMBERS.has(one.test);
  const several = one.test === "oneOf";
  const read = (typed: string): { value: Wanted[] } | { wrong: string } => {
    if (!typed.trim()) return { value: [] };
    if (wantsNumber) return NUMBER.test(typed.trim()) ? { value: [Number(typed)] } : { wrong: t("panel.when.number", { typed }) };
    if (!several) return { value: [meant(typed, type)] };
    return { value: split(typed).map((each) => meant(each, type)) };
  };
  const key = useKey(`${pathOf([...word.base, "when", route])} ${place} ${wantsNumber} ${several}`);
  const outer = one.values.map((value) => shown(value, type, several)).join(", ");
  const typing = useTyping<Wanted[]>(key, outer, read, onChange);
  return (
    <span className="ed-when-value">
      <input
        id={id}
        className={`input ${wantsNumber ? "input-num" : ""}`}
        value={typing.text}
        readOnly={scope.readOnly}
        inputMode={wantsNumber ? "decimal" : undefined}
        placeholder={several ? t("panel.when.values") : ""}
        aria-label={t("panel.when.value")}
        aria-invalid={typing.wrong !== null || undefined}
        aria-describedby={typing.wrong === null ? undefined : `${id}-said`}
        dir="auto"
        onChange={(event) => typing.type(event.target.value)}
        onBlur={typing.settle}
        onKeyDown={(event) => {
          if (event.key === "Enter") typing.settle();
        }}
      />
      {typing.wrong === null ? null : (
        <span id={`${id}-said`} className="ed-wrong" role="status">
          {typing.wrong}
        </span>
      )}
    </span>
  );
}
