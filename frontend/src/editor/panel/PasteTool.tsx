/** @jsxImportSource react */
import { CircleAlert, KeyRound } from "lucide-react";
import { useId, useState, type FormEvent, type ReactElement, type ReactNode } from "react";
import type { Operation } from "../../generated/edits";
import type { Json } from "../../generated/frames";
import type { PastedReply, PastedTool } from "../../generated/pasted";
import type { DraftSettings } from "../../generated/runs";
import type { UnitReply } from "../../generated/units";
import { ApiError, asApiError, get, post, put } from "../../shared/api";
import { t } from "../../shared/strings";
import { useScope } from "../fields/scope";
import { isObject } from "../store/changes";
import { text } from "../store/document";
import { editor } from "../store/editor";
import { useEditor } from "../store/state";
import type { JsonObject } from "../store/wire";
import { useLeaving } from "./Leave";
import { Modal } from "./Modal";

/** Reads a curl command or an API's description into a tool, shows it, and adds it with its code. */
export function PasteTool({ onClose }: { onClose: () => void }): ReactElement {
  const scope = useScope();
  const flow = useEditor((state) => state.id);
  const id = useId();
  const [pasted, setPasted] = useState("");
  const [read, setRead] = useState<{ reply: PastedReply; operation: string } | null>(null);
  const [busy, setBusy] = useState<"read" | "add" | null>(null);
  const [wrong, setWrong] = useState("");
  const [keep, setKeep] = useState(true);
  const tool = read?.reply.tool ?? null;

  const look = async (operation: string) => {
    setBusy("read");
    setWrong("");
    try {
      setRead({ reply: await post<PastedReply>(`/api/flows/${flow}/pasted`, { text: pasted, operation }), operation });
    } catch (thrown) {
      setRead(operation ? (now) => now && { ...now, reply: { ...now.reply, tool: null }, operation } : null);
      setWrong(asApiError(thrown).message);
    }
    setBusy(null);
  };
  const add = async () => {
    if (!tool) return;
    setBusy("add");
    const why = await addTool(flow, scope.flow, tool, keep, (label, operations) => scope.edit(label, operations));
    setBusy(null);
    if (why === null) return;
    setWrong(why);
    if (why) return;
    onClose();
    scope.open({ tool: text(tool.tool.name) });
  };
  const leaving = useLeaving(Boolean(pasted.trim()) && busy === null, onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void look("");
  };
  return (
    <Modal
      title={t("panel.paste.title")}
      onClose={leaving.close}
      foot={
        leaving.asks ?? (
          <>
            <button type="button" className="btn" onClick={leaving.close}>
              {t("shared.cancel")}
            </button>
            <button type="button" className="btn btn-primary" disabled={!tool || busy !== null} aria-busy={busy === "add"} onClick={() => void add()}>
              {t(busy === "add" ? "panel.paste.adding" : "panel.paste.add")}
            </button>
          </>
        )
      }
    >
      <div className="ed-paste">
        <form className="stack" onSubmit={submit}>
          <p className="small soft" id={`${id}-lead`}>
            {t("panel.paste.lead")}
          </p>
          <label className="label" htmlFor={`${id}-text`}>
            {t("panel.paste.text")}
          </label>
          <textarea
            id={`${id}-text`}
            className="textarea input-mono ed-paste-text"
            dir="ltr"
            spellCheck={false}
            value={pasted}
            placeholder={t("panel.paste.placeholder")}
            aria-invalid={wrong !== ""}
            aria-describedby={`${id}-lead ${id}-wrong`}
            onChange={(event) => {
              setPasted(event.target.value);
              setRead(null);
              setWrong("");
            }}
          />
          <p className="error" id={`${id}-wrong`} role="alert">
            {wrong}
          </p>
          <button className="btn ed-paste-read" disabled={!pasted.trim() || busy !== null} aria-busy={busy === "read"}>
            {t(busy === "read" ? "panel.paste.reading" : "panel.paste.read")}
          </button>
        </form>
        {read && read.reply.operations.length > 1 ? (
          <div className="field">
            <label className="label" htmlFor={`${id}-operation`}>
              {t("panel.paste.operation")}
            </label>
            <select id={`${id}-operation`} className="select" value={read.operation} disabled={busy !== null} onChange={(event) => void look(event.target.value)}>
              <option value="" disabled>
                {t("panel.paste.choose", { count: read.reply.operations.length })}
              </option>
              {read.reply.operations.map((each) => (
                <option key={each.id} value={each.id}>
                  {each.summary ? `${each.id} – ${each.summary}` : each.id}
                </option>
              ))}
            </select>
          </div>
        ) : null}
        {tool ? <Preview tool={tool} keep={keep} onKeep={setKeep} /> : null}
      </div>
    </Modal>
  );
}

function Preview({ tool, keep, onKeep }: { tool: PastedTool; keep: boolean; onKeep: (keep: boolean) => void }): ReactNode {
  const inputs = isObject(tool.tool.inputs) ? Object.entries(tool.tool.inputs) : [];
  const pasted = tool.secrets.some((each) => each.value);
  return (
    <section className="ed-paste-tool" aria-label={text(tool.tool.name)}>
      <div>
        <h3 className="heading mono">{text(tool.tool.name)}</h3>
        <p className="small soft" dir="auto">
          {text(tool.tool.description)}
        </p>
      </div>
      {tool.notes.length ? (
        <ul className="notice notice-warn ed-paste-notes" aria-label={t("panel.paste.notes")}>
          {tool.notes.map((note) => (
            <li key={note}>
              <CircleAlert size={14} aria-hidden="true" /> {note}
            </li>
          ))}
        </ul>
      ) : null}
      <div>
        <h4 className="label">{t("panel.paste.inputs")}</h4>
        {inputs.length ? (
          <ul className="ed-paste-inputs">
            {inputs.map(([name, field]) => (
              <li key={name}>
                <code>{name}</code> <span className="tiny muted">{isObject(field) ? text(field.type) : ""}</span>
                {isObject(field) && field.required === true ? <span className="badge">{t("panel.paste.required")}</span> : null}
                {isObject(field) && text(field.description) ? (
                  <span className="tiny soft clip" dir="auto">
                    {text(field.description)}
                  </span>
                ) : null}
              </li>
            ))}
          </ul>
        ) : (
          <p className="small muted">{t("panel.paste.noInputs")}</p>
        )}
      </div>
      {tool.secrets.length ? (
        <div className="stack">
          <div>
            <h4 className="label">{t("panel.paste.secrets")}</h4>
            <p className="tiny muted">{t("panel.paste.secretsLead")}</p>
          </div>
          <ul className="ed-paste-inputs">
            {tool.secrets.map((each) => (
              <li key={each.name}>
                <KeyRound size={13} aria-hidden="true" /> <code>{each.name}</code> <span className="tiny muted">{each.host}</span>
                {each.value ? <span className="badge badge-warn">{t("panel.paste.secretPasted")}</span> : null}
              </li>
            ))}
          </ul>
          {pasted ? (
            <label className="check">
              <input type="checkbox" checked={keep} onChange={(event) => onKeep(event.target.checked)} />
              <span className="check-text">
                <span>{t("panel.paste.keep")}</span>
                <span className="help">{t("panel.paste.keepHelp")}</span>
              </span>
            </label>
          ) : null}
        </div>
      ) : null}
      <div>
        <h4 className="label">{t("panel.paste.code")}</h4>
        <pre className="code ed-paste-code" tabIndex={0} dir="ltr">
          {tool.code}
        </pre>
      </div>
    </section>
  );
}

type Edit = (label: string, operations: Operation[]) => Promise<boolean>;

/** Adds the tool, its secrets' names and its code. Null: the edit was not made; "": all done; else what was not kept. */
async function addTool(flow: string, document: JsonObject, tool: PastedTool, keep: boolean, edit: Edit): Promise<string | null> {
  const name = text(tool.tool.name);
  const requires = isObject(document.requires) ? document.requires : null;
  const known: Json[] = Array.isArray(requires?.env) ? requires.env : [];
  const fresh = tool.secrets.map((each) => each.name).filter((each) => !known.includes(each));
  const env: Json[] = [...known, ...fresh];
  const path = requires ? ["requires", "env"] : ["requires"];
  const names: Operation[] = fresh.length ? [{ op: "setField", on: { flow: true }, path, value: requires ? env : { env } }] : [];
  if (!(await edit(t("panel.paste.label", { name }), [{ op: "addTool", tool: tool.tool }, ...names]))) return null;
  try {
    const here = `/api/flows/${flow}/units/tool/${encodeURIComponent(name)}`;
    const { unit } = await get<UnitReply>(here);
    await put<UnitReply>(here, { code: tool.code, was: unit.mark });
    await editor.refresh();
  } catch (thrown) {
    return t("panel.paste.codeLater", { why: asApiError(thrown).message });
  }
  return keep ? keepSecrets(flow, tool) : "";
}

/** The pasted values, where this person may set secrets; those who may not are asked for them when the draft is tried. */
async function keepSecrets(flow: string, tool: PastedTool): Promise<string> {
  const given = new Map(tool.secrets.filter((each) => each.value).map((each) => [each.name, each]));
  if (!given.size) return "";
  const path = `/api/flows/${flow}/try/settings`;
  try {
    const shown = await get<DraftSettings>(path);
    if (!shown.mayChange) return "";
    const secrets = shown.secrets.map(({ name, hosts }) => {
      const one = given.get(name);
      return [name, one ? { value: one.value, hosts: one.host } : { value: "", hosts }];
    });
    await put<DraftSettings>(path, {
      model: shown.model,
      values: Object.fromEntries(shown.values.map((each) => [each.name, each.text])),
      secrets: Object.fromEntries(secrets),
      allowedHosts: shown.allowedHosts,
      idempotentHosts: shown.idempotentHosts,
    });
    return "";
  } catch (thrown) {
    if (thrown instanceof ApiError) return t("panel.paste.secretsLater", { why: thrown.message });
    throw thrown;
  }
}
