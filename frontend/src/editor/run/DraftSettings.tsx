/** @jsxImportSource react */
import { ArrowLeft, Lock } from "lucide-react";
import { useEffect, useId, useState, type FormEvent, type ReactElement, type ReactNode } from "react";
import type { DraftSecret, DraftSettings as Settings, DraftValue } from "../../generated/runs";
import { asApiError, get, put } from "../../shared/api";
import { t } from "../../shared/strings";
import { useEditor } from "../store/state";

type Fields = Record<string, string>;

/** What drafts run with: model, settings, secrets and addresses. */
export function DraftSettings({ onBack, onSaved }: { onBack: () => void; onSaved: () => Promise<void> }): ReactElement {
  const id = useEditor((state) => state.id);
  const [shown, setShown] = useState<Settings | null>(null);
  const [wrong, setWrong] = useState<Fields>({});
  const [words, setWords] = useState("");
  const [saved, setSaved] = useState(false);
  const path = `/api/flows/${id}/try/settings`;
  useEffect(() => {
    get<Settings>(path)
      .then(setShown)
      .catch((thrown: unknown) => setWords(asApiError(thrown).message));
  }, [path]);
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!shown) return;
    const form = new FormData(event.currentTarget);
    const said = (name: string): string => {
      const value = form.get(name);
      return typeof value === "string" ? value : "";
    };
    const body = {
      model: said("model"),
      values: Object.fromEntries(shown.values.map(({ name }) => [name, said(`setting:${name}`)])),
      secrets: Object.fromEntries(shown.secrets.map(({ name }) => [name, { value: said(`secret:${name}`), hosts: said(`hosts:${name}`) }])),
      allowedHosts: said("allowed_hosts"),
      idempotentHosts: said("idempotent_hosts"),
    };
    try {
      setShown(await put<Settings>(path, body));
      setWrong({});
      setWords("");
      setSaved(true);
      await onSaved();
    } catch (thrown) {
      const error = asApiError(thrown);
      setWrong(error.fields);
      setWords(error.message);
      setSaved(false);
    }
  };
  return (
    <div className="ed-run-settings">
      <button type="button" className="btn btn-ghost btn-small ed-trace-back" onClick={onBack}>
        <ArrowLeft size={14} className="icon-flip" />
        {t("trace.chat")}
      </button>
      <h3 className="heading">{t("trace.draftSettings")}</h3>
      <p className="small muted">{t("trace.draftSettingsLead")}</p>
      {shown ? (
        // A saved form is drawn anew, so that no secret stays typed in it.
        <form key={JSON.stringify(shown)} className="form" onSubmit={(event) => void save(event)} onChange={() => setSaved(false)}>
          {shown.mayChange ? null : (
            <p className="notice">
              <Lock size={14} className="icon" />
              <span>{t("trace.readOnly")}</span>
            </p>
          )}
          <fieldset className="form" disabled={!shown.mayChange}>
            <Field label={t("trace.model")} error={wrong.model}>
              {(id, invalid) => (
                <select id={id} className="select" name="model" defaultValue={shown.model} aria-invalid={invalid}>
                  <option value="">{t("trace.modelHouse")}</option>
                  {shown.models.map((model) => (
                    <option key={model.id} value={model.id}>
                      {model.name}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            {shown.values.map((value) => (
              <Value key={value.name} value={value} error={wrong[`setting:${value.name}`]} />
            ))}
            {shown.secrets.map((secret) => (
              <Secret key={secret.name} secret={secret} wrong={wrong} />
            ))}
            <Field label={t("trace.hosts")} help={t("trace.hostsHelp")} error={wrong.allowed_hosts}>
              {(id, invalid) => <textarea id={id} className="textarea input-mono ed-run-hosts" name="allowed_hosts" rows={2} defaultValue={shown.allowedHosts} aria-invalid={invalid} spellCheck={false} />}
            </Field>
            <Field label={t("trace.idempotent")} help={t("trace.idempotentHelp")} error={wrong.idempotent_hosts}>
              {(id, invalid) => <textarea id={id} className="textarea input-mono ed-run-hosts" name="idempotent_hosts" rows={2} defaultValue={shown.idempotentHosts} aria-invalid={invalid} spellCheck={false} />}
            </Field>
          </fieldset>
          {shown.mayChange ? (
            <div className="form-foot">
              <button type="submit" className="btn btn-primary">
                {t("trace.save")}
              </button>
              {saved ? (
                <span className="small ok" role="status">
                  {t("trace.saved")}
                </span>
              ) : null}
            </div>
          ) : null}
        </form>
      ) : null}
      {words ? (
        <p className="error" role="alert">
          {words}
        </p>
      ) : null}
    </div>
  );
}

interface FieldProps {
  label: string;
  mono?: boolean;
  help?: string;
  error?: string | undefined;
  children: (id: string, invalid: boolean) => ReactNode;
}

function Field({ label, mono = false, help, error, children }: FieldProps): ReactElement {
  const id = useId();
  return (
    <div className="field">
      <label className={mono ? "label mono" : "label"} htmlFor={id}>
        {label}
      </label>
      {children(id, Boolean(error))}
      {help ? <p className="help">{help}</p> : null}
      {error ? <p className="error">{error}</p> : null}
    </div>
  );
}

function Value({ value, error }: { value: DraftValue; error: string | undefined }): ReactElement {
  const name = `setting:${value.name}`;
  if (value.kind === "switch") {
    return (
      <label className="switch">
        <input type="checkbox" role="switch" name={name} value="1" defaultChecked={value.text === "1"} />
        <span className="check-text">
          <span className="mono">{value.name}</span>
          {value.about ? <span className="help">{value.about}</span> : null}
        </span>
      </label>
    );
  }
  const otherwise = value.default ? t("trace.settingDefault", { value: value.default }) : "";
  return (
    <Field label={value.name} mono help={[value.about, otherwise].filter(Boolean).join(" ")} error={error}>
      {(id, invalid) => <input id={id} className={value.kind === "text" ? "input" : "input input-mono"} name={name} defaultValue={value.text} aria-invalid={invalid} autoComplete="off" />}
    </Field>
  );
}

function Secret({ secret, wrong }: { secret: DraftSecret; wrong: Fields }): ReactElement {
  return (
    <div className="ed-run-secret">
      <Field label={secret.name} mono help={secret.help} error={wrong[`secret:${secret.name}`]}>
        {(id, invalid) => (
          <input id={id} className="input" type="password" name={`secret:${secret.name}`} placeholder={secret.stored ? "••••••••" : ""} autoComplete="new-password" aria-invalid={invalid} />
        )}
      </Field>
      <Field label={t("trace.secretHosts")} error={wrong[`hosts:${secret.name}`]}>
        {(id, invalid) => <textarea id={id} className="textarea input-mono ed-run-hosts" rows={1} name={`hosts:${secret.name}`} defaultValue={secret.hosts} aria-invalid={invalid} spellCheck={false} />}
      </Field>
    </div>
  );
}
