/** @jsxImportSource react */
import { Play } from "lucide-react";
import { useEffect, useRef, useState, type ReactElement } from "react";
import type { Json } from "../../generated/frames";
import type { AnewForm, SingleRun } from "../../generated/runs";
import { ApiError, get, post } from "../../shared/api";
import { t } from "../../shared/strings";
import { useLeaving } from "../panel/Leave";
import { Modal } from "../panel/Modal";
import type { Typed } from "./json";

interface AnewProps {
  run: string;
  address: string;
  onClose: () => void;
  onBegun: (begun: SingleRun) => void;
}

/** Begins a run anew at a step: what the flow held there as JSON, to be changed, and which version runs. */
export function Anew({ run, address, onClose, onBegun }: AnewProps): ReactElement {
  const [form, setForm] = useState<AnewForm | null>(null);
  const [on, setOn] = useState<"same" | "draft">("same");
  const [words, setWords] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const [changed, setChanged] = useState(false);
  const leaving = useLeaving(changed && !busy, onClose);
  const host = useRef<HTMLDivElement>(null);
  const typed = useRef<Typed | null>(null);

  useEffect(() => {
    const stop = new AbortController();
    const onChange = () => {
      setWords([]);
      setChanged(true);
    };
    const begin = async () => {
      try {
        const [{ editJson }, found] = await Promise.all([import("./json"), get<AnewForm>(`/api/runs/${run}/anew?step=${encodeURIComponent(address)}`, stop.signal)]);
        if (stop.signal.aborted || !host.current) return;
        setForm(found);
        typed.current = editJson(host.current, { text: JSON.stringify(stateOf(found), null, 2), label: t("trace.anewState"), onChange });
      } catch (thrown) {
        if (stop.signal.aborted) return;
        // The editor itself may be what could not be fetched: a newer product has others, under other names.
        setWords([thrown instanceof ApiError ? thrown.message : t("shared.partMissing")]);
      }
    };
    void begin();
    return () => {
      stop.abort();
      typed.current?.end();
      typed.current = null;
    };
  }, [run, address]);

  const go = async () => {
    if (!form || busy) return;
    const values = changesIn(typed.current?.text() ?? "", form);
    if (values === null) {
      setWords([t("trace.anewNoJson")]);
      return;
    }
    setBusy(true);
    setWords([]);
    try {
      onBegun(await post<SingleRun>(`/api/runs/${run}/anew`, { step: address, on, values }));
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      const fields = Object.entries(thrown.fields).map(([name, sentence]) => `${name}: ${sentence}`);
      setWords(fields.length ? fields : [thrown.message]);
      setBusy(false);
    }
  };
  const cut = form?.channels.filter((channel) => channel.cut).map((channel) => channel.name) ?? [];
  const foot = (
    <>
      <button type="button" className="btn" onClick={leaving.close}>
        {t("trace.anewCancel")}
      </button>
      <button type="button" className="btn btn-primary" disabled={!form || busy} aria-busy={busy} onClick={() => void go()}>
        <Play size={14} aria-hidden="true" />
        {t(busy ? "trace.anewRunning" : "trace.anewRun")}
      </button>
    </>
  );
  return (
    <Modal title={t("trace.anewTitle", { title: form?.title ?? address })} onClose={leaving.close} foot={leaving.asks ?? foot}>
      <div className="ed-anew">
        <p className="small soft">{t("trace.anewLead")}</p>
        {form ? (
          <fieldset className="ed-anew-on">
            <legend className="label">{t("trace.anewOn")}</legend>
            <label className="check">
              <input type="radio" name="anew-on" checked={on === "same"} onChange={() => setOn("same")} />
              <span className="check-text">{form.version === null ? t("trace.anewSame") : t("trace.anewSameNumber", { n: form.version })}</span>
            </label>
            <label className="check">
              <input type="radio" name="anew-on" checked={on === "draft"} disabled={!form.inDraft} onChange={() => setOn("draft")} />
              <span className="check-text">{t(form.inDraft ? "trace.anewDraft" : "trace.anewNoDraft")}</span>
            </label>
          </fieldset>
        ) : null}
        <div className="ed-anew-state">
          <p className="label">{t("trace.anewState")}</p>
          <p className="help">{t("trace.anewStateHelp")}</p>
          <div ref={host} className="ed-anew-json" data-json="state" />
          {form || words.length ? null : <span className="skeleton skeleton-block" aria-busy="true" aria-label={t("shared.loading")} />}
          {cut.length ? <p className="help">{t("trace.anewLong", { names: cut.join(", ") })}</p> : null}
        </div>
        {words.length ? (
          <div className="notice notice-bad" role="alert">
            <div className="stack">
              {words.map((sentence) => (
                <p key={sentence}>
                  <bdi>{sentence}</bdi>
                </p>
              ))}
            </div>
          </div>
        ) : null}
      </div>
    </Modal>
  );
}

/** The channels that can be changed, by name. */
function stateOf(form: AnewForm): Record<string, Json> {
  return Object.fromEntries(form.channels.filter((channel) => !channel.cut).map((channel) => [channel.name, channel.value]));
}

/** What was typed, as far as it is another value than before; null where it is no JSON object. */
export function changesIn(typed: string, form: AnewForm): Record<string, Json> | null {
  let state: Json;
  try {
    state = JSON.parse(typed);
  } catch {
    return null;
  }
  if (typeof state !== "object" || state === null || Array.isArray(state)) return null;
  const before = stateOf(form);
  const changed = Object.entries(state).filter(([name, value]) => !(name in before) || JSON.stringify(value) !== JSON.stringify(before[name]));
  return Object.fromEntries(changed);
}

/** Only a step of the flow itself can be begun at: not one inside another flow, and not one copy of many. */
export const canBegin = (address: string): boolean => !/[/[]/.test(address);
