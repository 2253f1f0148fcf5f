/** @jsxImportSource react */
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { UnitKind } from "../../generated/language";
import type { UnitCode } from "../../generated/units";
import { ApiError } from "../../shared/api";
import { t } from "../../shared/strings";
import { useScope } from "../fields/scope";
import { Leave } from "./Leave";
import { Modal } from "./Modal";
import type { Typed } from "./python";
import { readUnit, saveUnit } from "./useUnit";

/** Code that was typed and is not saved yet, by unit: it is there again when the dialog is. */
const unsaved = new Map<string, string>();

interface CodeDialogProps {
  kind: UnitKind;
  name: string;
  /** What the editor begins with; what is stored, when null. */
  start: string | null;
  onClose: () => void;
}

/** The code of a unit, to read and to write by hand. */
export function CodeDialog({ kind, name, start, onClose }: CodeDialogProps): ReactNode {
  const scope = useScope();
  // Who began to write code goes on, whatever the panel may do meanwhile.
  const [readOnly] = useState(scope.readOnly);
  const key = `${scope.id} ${kind} ${name}`;
  const [unit, setUnit] = useState<UnitCode | null>(null);
  const [words, setWords] = useState("");
  const [theirs, setTheirs] = useState<UnitCode | null>(null);
  const [dirty, setDirty] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const [busy, setBusy] = useState(false);
  const host = useRef<HTMLDivElement>(null);
  const typed = useRef<Typed | null>(null);
  const was = useRef("");
  const act = useRef(() => {});

  const save = async () => {
    const code = typed.current?.text();
    if (code === undefined || busy || readOnly) return;
    setBusy(true);
    setWords("");
    try {
      const saved = await saveUnit(scope.id, kind, name, code, was.current);
      was.current = saved.mark;
      unsaved.delete(key);
      setUnit(saved);
      setTheirs(null);
      setDirty(typed.current?.text() !== code);
      setWords(saved.state === "refused" ? saved.reason : t("panel.code.saved"));
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      setWords(thrown.message);
      if (thrown.code === "UNIT_CHANGED") setTheirs(await readUnit(scope.id, kind, name));
    } finally {
      setBusy(false);
    }
  };
  act.current = () => void save();

  useEffect(() => {
    let gone = false;
    const begin = async () => {
      try {
        const [{ editPython }, found] = await Promise.all([import("./python"), readUnit(scope.id, kind, name)]);
        if (gone || !host.current) return;
        was.current = found.mark;
        setUnit(found);
        const code = start ?? unsaved.get(key) ?? found.code;
        if (code !== found.code) setDirty(true);
        typed.current = editPython(host.current, {
          code,
          label: t("panel.code.editor", { name }),
          readOnly,
          onChange: (next) => {
            unsaved.set(key, next);
            setDirty(true);
          },
          onSave: () => act.current(),
        });
      } catch (thrown) {
        // The editor itself may be what could not be fetched.
        if (!gone) setWords(thrown instanceof ApiError ? thrown.message : t("shared.partMissing"));
      }
    };
    void begin();
    return () => {
      gone = true;
      typed.current?.end();
      typed.current = null;
    };
  }, [scope.id, kind, name]);

  const close = () => {
    if (dirty && !readOnly) setLeaving(true);
    else onClose();
  };
  const refused = unit?.state === "refused";
  return (
    <Modal
      title={
        <>
          <span className="mono">{name}</span>
          {dirty && !readOnly ? <span className="badge badge-warn">{t("panel.code.unsaved")}</span> : null}
        </>
      }
      onClose={close}
      foot={
        leaving ? (
          <Leave
            question={t("panel.code.leave")}
            yes={t("panel.code.leave.yes")}
            no={t("panel.code.leave.no")}
            onLeave={() => {
              unsaved.delete(key);
              onClose();
            }}
            onStay={() => setLeaving(false)}
          />
        ) : (
          <>
            <span className={`grow ${words && (refused || theirs || dirty) ? "bad" : "muted"}`} role="status">
              {theirs ? t("panel.code.theirs") : words}
            </span>
            {theirs ? (
              <button
                type="button"
                className="btn"
                onClick={() => {
                  was.current = theirs.mark;
                  act.current();
                }}
              >
                {t("panel.code.replace")}
              </button>
            ) : null}
            <button type="button" className="btn" onClick={close}>
              {t("panel.code.close")}
            </button>
            {readOnly ? null : (
              <button type="button" className="btn btn-primary" aria-busy={busy || undefined} disabled={!unit || !dirty} onClick={() => void save()}>
                {t("panel.code.save")}
              </button>
            )}
          </>
        )
      }
    >
      {unit?.description ? (
        <details className="ed-modal-about" open>
          <summary>{t("panel.code.description")}</summary>
          <p dir="auto">{unit.description}</p>
        </details>
      ) : null}
      {unit ? null : <p className="muted">{words || t("panel.code.loading")}</p>}
      <div className="ed-modal-code" ref={host} />
      {theirs ? (
        <details className="ed-modal-about">
          <summary>{t("panel.code.readTheirs")}</summary>
          <pre className="code">{theirs.code}</pre>
        </details>
      ) : null}
    </Modal>
  );
}
