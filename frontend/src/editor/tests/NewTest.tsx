/** @jsxImportSource react */
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useEffect, useId, useMemo, useState, type ReactElement, type ReactNode } from "react";
import type { TestFile, TestsInside } from "../../generated/tests";
import { asApiError, get } from "../../shared/api";
import { t, type StringKey } from "../../shared/strings";
import { Combo } from "../fields/Combo";
import { movedItem } from "../fields/parts";
import { useLeaving } from "../panel/Leave";
import { Modal } from "../panel/Modal";
import { labelOf, nodesOf, object } from "../store/document";
import { store, useEditor } from "../store/state";
import type { JsonObject } from "../store/wire";
import { flowPath, readFile, saveFile } from "./file";
import { asksOf, fileNameOf, newFile, testOf, withTest, type Ask, type Inside } from "./make";

interface NewTestProps {
  files: TestFile[];
  onClose: () => void;
  onSaved: (path: string, name: string) => void;
}

const NEW = "";

/** A first test, filled in instead of written: what goes in, what stands in for the outside, what must come of it. */
export function NewTest({ files, onClose, onSaved }: NewTestProps): ReactElement {
  const flow = useEditor((state) => state.flow);
  const inside = useInside();
  if (!flow) {
    return (
      <Modal title={t("tests.form.title")} onClose={onClose} foot={<Cancel onClose={onClose} />}>
        <p className="notice notice-warn">{t("tests.form.flow")}</p>
      </Modal>
    );
  }
  if (inside === null) {
    return (
      <Modal title={t("tests.form.title")} onClose={onClose} foot={<Cancel onClose={onClose} />}>
        <p className="muted">{t("shared.loading")}</p>
      </Modal>
    );
  }
  return <Form flow={flow} inside={inside} files={files} onClose={onClose} onSaved={onSaved} />;
}

/** The flows that run inside this one; null until they were read. Without them, their steps are written as text. */
function useInside(): Inside[] | null {
  const id = useEditor((state) => state.id);
  const [some] = useState(() => nodesOf(store.getState().flow).some((node) => node.type === "flow" || node.type === "agent"));
  const [found, setFound] = useState<Inside[] | null>(some ? null : []);
  useEffect(() => {
    if (!some) return;
    const stop = new AbortController();
    get<TestsInside>(`/api/flows/${id}/tests/inside`, stop.signal)
      .then(({ flows }) => setFound(flows.map(({ at, flow }) => ({ at, flow: object(flow) }))))
      .catch((thrown: unknown) => {
        if (stop.signal.aborted) return;
        asApiError(thrown);
        setFound([]);
      });
    return () => stop.abort();
  }, [id, some]);
  return found;
}

function Cancel({ onClose }: { onClose: () => void }): ReactElement {
  return (
    <>
      <span className="grow" />
      <button type="button" className="btn" onClick={onClose}>
        {t("tests.form.cancel")}
      </button>
    </>
  );
}

const GROUPS: { title: StringKey; help?: StringKey; sections: readonly Ask["section"][] }[] = [
  { title: "tests.form.inputs", sections: ["input"] },
  { title: "tests.form.models", help: "tests.form.modelsHelp", sections: ["nodes"] },
  { title: "tests.form.tools", help: "tests.form.toolsHelp", sections: ["tools"] },
  { title: "tests.form.data", sections: ["reads", "knowledge", "index", "database"] },
  { title: "tests.form.people", sections: ["answers"] },
];

function Form({ flow, inside, files, onClose, onSaved }: NewTestProps & { flow: JsonObject; inside: Inside[] }): ReactElement {
  // What is asked is fixed while the form is open: nothing that was typed loses its place.
  const [asks] = useState(() => asksOf(flow, inside));
  const [name, setName] = useState("");
  const [file, setFile] = useState(files[0]?.path ?? NEW);
  const [path, setPath] = useState<string | null>(null);
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [failing, setFailing] = useState(false);
  const [fails, setFails] = useState("");
  const [steps, setSteps] = useState<string[]>([]);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [words, setWords] = useState("");
  const id = useId();

  const target = file === NEW ? (path ?? fileNameOf(name)) : file;
  const taken = files.find((each) => each.path === file)?.tests.some((test) => test.name === name.trim()) ?? false;
  const { test, wrong } = useMemo(() => testOf(asks, { name, typed, fails: failing ? fails.trim() : "", path: steps }), [asks, name, typed, failing, fails, steps]);
  const nameWrong = !name.trim() ? t("tests.form.name.needed") : taken ? t("tests.form.name.taken") : "";
  const pathWrong = file !== NEW ? "" : !target.endsWith(".test.json") ? t("tests.form.file.ending") : files.some((each) => each.path === target) ? t("tests.form.file.taken") : "";
  const failsWrong = failing && !fails.trim() ? t("tests.form.fails.needed") : "";
  const good = !nameWrong && !pathWrong && !failsWrong && !Object.keys(wrong).length;

  const save = async () => {
    setTried(true);
    if (!good || busy) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>(".ed-newtest [aria-invalid=true]")?.focus());
      return;
    }
    setBusy(true);
    setWords("");
    try {
      const stored = file === NEW ? null : await readFile(file);
      const text = stored ? withTest(stored.text, test) : newFile(await flowPath(), target, test);
      if (text === null) {
        setWords(t("tests.form.unreadable", { file }));
        return;
      }
      await saveFile(target, text, stored?.sha ?? "");
      onSaved(target, name.trim());
    } catch (thrown) {
      setWords(asApiError(thrown).message);
    } finally {
      setBusy(false);
    }
  };
  const box = (ask: Ask) => (
    <AskBox
      key={ask.key}
      ask={ask}
      typed={typed[ask.key] ?? ask.start}
      wrong={(tried || typed[ask.key] !== undefined) && wrong[ask.key] !== undefined ? t("tests.form.json", { why: wrong[ask.key] ?? "" }) : ""}
      onType={(next) => setTyped({ ...typed, [ask.key]: next })}
    />
  );
  const outputs = asks.filter((ask) => ask.section === "output");
  const filled = Boolean(name.trim() || fails.trim() || steps.length || asks.some((ask) => typed[ask.key] !== undefined && typed[ask.key] !== ask.start));
  const leaving = useLeaving(filled && !busy, onClose);
  return (
    <Modal
      title={t("tests.form.title")}
      onClose={leaving.close}
      foot={
        leaving.asks ?? (
          <>
            <span className="grow bad" role="status">
              {words}
            </span>
            <button type="button" className="btn" onClick={leaving.close}>
              {t("tests.form.cancel")}
            </button>
            <button type="button" className="btn btn-primary" aria-busy={busy || undefined} disabled={busy} onClick={() => void save()}>
              {t(busy ? "tests.form.saving" : "tests.form.save")}
            </button>
          </>
        )
      }
    >
      <form
        className="ed-newtest"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p className="muted">{t("tests.form.lead")}</p>
        <Field id={`${id}-name`} label={t("tests.form.name")} wrong={tried ? nameWrong : ""}>
          <input id={`${id}-name`} className="input" value={name} maxLength={200} autoFocus placeholder={t("tests.form.namePlaceholder")} aria-invalid={(tried && nameWrong !== "") || undefined} dir="auto" onChange={(event) => setName(event.target.value)} />
        </Field>
        <div className="ed-newtest-file">
          <Field id={`${id}-file`} label={t("tests.form.file")}>
            <select id={`${id}-file`} className="select" value={file} onChange={(event) => setFile(event.target.value)}>
              {files.map((each) => (
                <option key={each.path} value={each.path}>
                  {each.path}
                </option>
              ))}
              <option value={NEW}>{t("tests.form.fileNew")}</option>
            </select>
          </Field>
          {file === NEW ? (
            <Field id={`${id}-path`} label={t("tests.form.filePath")} wrong={tried || path !== null ? pathWrong : ""}>
              <input id={`${id}-path`} className="input input-mono" value={target} spellCheck={false} aria-invalid={(tried && pathWrong !== "") || undefined} onChange={(event) => setPath(event.target.value)} />
            </Field>
          ) : null}
        </div>
        {GROUPS.map(({ title, help, sections }) => {
          const own = asks.filter((ask) => sections.includes(ask.section));
          if (!own.length) return null;
          return (
            <fieldset key={title} className="ed-newtest-group">
              <legend>{t(title)}</legend>
              {help ? <p className="ed-help">{t(help)}</p> : null}
              {own.map(box)}
            </fieldset>
          );
        })}
        <fieldset className="ed-newtest-group">
          <legend>{t("tests.form.expect")}</legend>
          <div className="segments" role="group" aria-label={t("tests.form.expect")}>
            <button type="button" className="segment" aria-pressed={!failing} onClick={() => setFailing(false)}>
              {t("tests.form.expectEnds")}
            </button>
            <button type="button" className="segment" aria-pressed={failing} onClick={() => setFailing(true)}>
              {t("tests.form.expectFails")}
            </button>
          </div>
          {failing ? (
            <Field id={`${id}-fails`} label={t("tests.form.fails")} wrong={tried ? failsWrong : ""}>
              <input id={`${id}-fails`} className="input" value={fails} aria-invalid={(tried && failsWrong !== "") || undefined} dir="auto" onChange={(event) => setFails(event.target.value)} />
            </Field>
          ) : (
            <>
              {outputs.length ? <p className="ed-help">{t("tests.form.expectHelp")}</p> : null}
              {outputs.map(box)}
            </>
          )}
          <PathField flow={flow} steps={steps} onChange={setSteps} />
        </fieldset>
        <button type="submit" hidden />
      </form>
    </Modal>
  );
}

function Field({ id, label, wrong = "", children }: { id: string; label: string; wrong?: string; children: ReactNode }): ReactElement {
  return (
    <div className="ed-field">
      <label className="ed-label" htmlFor={id}>
        {label}
      </label>
      {children}
      {wrong ? <p className="ed-wrong">{wrong}</p> : null}
    </div>
  );
}

function AskBox({ ask, typed, wrong, onType }: { ask: Ask; typed: string; wrong: string; onType: (next: string) => void }): ReactElement {
  const id = useId();
  const mono = ask.reads === "json" || /^[[{]/.test(typed.trim());
  return (
    <div className="ed-field" data-ask={ask.key}>
      <label className="ed-label" htmlFor={id}>
        {ask.label} {ask.label.toLowerCase().replaceAll(" ", "_") === ask.name.toLowerCase() ? null : <code className="muted">{ask.name}</code>}
      </label>
      {ask.decides ? (
        <select id={id} className="select" value={typed} aria-describedby={`${id}-help`} onChange={(event) => onType(event.target.value)}>
          <option value="">{t("tests.form.nobody")}</option>
          <option value="true">{t("tests.form.approved")}</option>
          <option value="false">{t("tests.form.declined")}</option>
        </select>
      ) : (
        <div className={mono ? "ed-grow ed-grow-mono" : "ed-grow"} data-text={`${typed} `}>
          <textarea
            id={id}
            className={mono ? "textarea input-mono" : "textarea"}
            rows={1}
            value={typed}
            spellCheck={!mono}
            aria-invalid={wrong !== "" || undefined}
            aria-describedby={`${id}-help`}
            dir="auto"
            onChange={(event) => onType(event.target.value)}
          />
        </div>
      )}
      <div id={`${id}-help`}>{wrong ? <p className="ed-wrong">{wrong}</p> : ask.help ? <p className="ed-help ed-newtest-help">{ask.help}</p> : null}</div>
    </div>
  );
}

/** The steps that the run is to take, chosen one after the other. */
function PathField({ flow, steps, onChange }: { flow: JsonObject; steps: string[]; onChange: (next: string[]) => void }): ReactElement {
  const id = useId();
  const options = nodesOf(flow).map((node) => ({ value: node.id, label: labelOf(node.id), note: node.id }));
  return (
    <div className="ed-field">
      <label className="ed-label" htmlFor={id}>
        {t("tests.form.path")}
      </label>
      {steps.length ? (
        <ol className="ed-newtest-path">
          {steps.map((step, at) => (
            <li key={`${at} ${step}`}>
              <span className="mono grow">{step}</span>
              <button type="button" className="ed-icon" disabled={at === 0} aria-label={t("panel.upOf", { name: step })} onClick={() => onChange(movedItem(steps, at, -1))}>
                <ArrowUp size={13} />
              </button>
              <button type="button" className="ed-icon" disabled={at === steps.length - 1} aria-label={t("panel.downOf", { name: step })} onClick={() => onChange(movedItem(steps, at, 1))}>
                <ArrowDown size={13} />
              </button>
              <button type="button" className="ed-icon ed-icon-bad" aria-label={t("panel.removeOf", { name: step })} onClick={() => onChange(steps.filter((_, index) => index !== at))}>
                <X size={13} />
              </button>
            </li>
          ))}
        </ol>
      ) : null}
      <Combo id={id} value="" options={options} onChoose={(next) => next && onChange([...steps, next])} name={t("tests.form.path")} placeholder={t("panel.pick.node")} />
      <p className="ed-help">{t("tests.form.pathHelp")}</p>
    </div>
  );
}
