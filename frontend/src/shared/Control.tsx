import type { JSX, Ref } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { assertNever } from "./assertNever";
import { FileBox } from "./fileparts";
import { optionKey, type Draft, type Field } from "./fields";
import { t } from "./strings";

/** One box of a form, whatever its kind. */
export interface ControlProps {
  id: string;
  /** The field's own name, by which a file is sent for it. */
  name?: string;
  field: Field;
  draft: Draft;
  onChange: (draft: Draft) => void;
  disabled?: boolean;
  error?: boolean;
  describedBy?: string;
  required?: boolean;
  label?: string;
}

export function Radios({ id, field, draft, onChange, disabled, describedBy }: ControlProps): JSX.Element {
  return (
    <div class="choices choices-flow" role="radiogroup" aria-describedby={describedBy}>
      {field.options!.map((option) => (
        <label key={optionKey(option)} class="check choice">
          <input
            type="radio"
            name={id}
            checked={draft === optionKey(option)}
            disabled={disabled}
            onChange={() => onChange(optionKey(option))}
          />
          <span class="check-text" dir="auto">
            {wordsOf(option)}
          </span>
        </label>
      ))}
    </div>
  );
}

const wordsOf = (option: unknown): string =>
  typeof option === "boolean" ? t(option ? "shared.yes" : "shared.no") : typeof option === "object" ? JSON.stringify(option) : String(option);

export function Control({ id, name, field, draft, onChange, disabled, error, describedBy, required, label }: ControlProps): JSX.Element | null {
  const text = typeof draft === "string" ? draft : "";
  const common = {
    id,
    disabled,
    "aria-label": label,
    "aria-describedby": describedBy,
    "aria-invalid": error ? ("true" as const) : undefined,
    "aria-required": required ? ("true" as const) : undefined,
  };
  if (field.options?.length) {
    return (
      <select class="select" {...common} value={text} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{required ? t("shared.choose") : t("shared.none")}</option>
        {field.options.map((option) => (
          <option key={optionKey(option)} value={optionKey(option)}>
            {wordsOf(option)}
          </option>
        ))}
      </select>
    );
  }
  switch (field.type) {
    case "text":
    case "any":
      return <Growing {...common} class="textarea" value={text} maxLength={field.maxLength} onText={onChange} />;
    case "number":
      return (
        <input
          class="input input-num"
          {...common}
          type="text"
          inputMode="decimal"
          autoComplete="off"
          dir="ltr"
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      );
    case "date":
      return <input class="input input-date" {...common} type="date" value={text} onInput={(event) => onChange(event.currentTarget.value)} />;
    case "string":
      // A line that already holds several is a box: one line would hand back what it shows, without its breaks.
      return text.includes("\n") ? (
        <Growing {...common} class="textarea" value={text} maxLength={field.maxLength} onText={onChange} />
      ) : (
        <>
          <input
            class="input"
            {...common}
            type="text"
            autoComplete="off"
            dir="auto"
            value={text}
            maxLength={field.maxLength}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          <Count text={text} max={field.maxLength} />
        </>
      );
    case "boolean":
      return (
        <label class="check">
          <input {...common} type="checkbox" checked={draft === true} onChange={(event) => onChange(event.currentTarget.checked)} />
          <span class="sr">{label}</span>
        </label>
      );
    case "file":
      return <FileBox {...{ id, name: name ?? id, label: label ?? "", draft: text, onChange, disabled, error, describedBy }} accept={field.accept} />;
    case "list":
    case "object":
      return null;
    default:
      return assertNever(field.type);
  }
}

/** Said only when the end is near. */
function Count({ text, max }: { text: string; max?: number }): JSX.Element | null {
  const length = Array.from(text).length;
  if (!max || length < max * 0.8 || max < 10) return null;
  return <span class="help field-count">{t("shared.charsOf", { n: length, max })}</span>;
}

type GrowingProps = Omit<JSX.IntrinsicElements["textarea"], "onInput"> & { onText: (text: string) => void };

/** A box that is as high as its text. */
function Growing({ onText, value, ...rest }: GrowingProps): JSX.Element {
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => grow(box.current), [value]);
  return (
    <textarea
      {...(rest as JSX.IntrinsicElements["textarea"])}
      ref={box as Ref<HTMLTextAreaElement>}
      dir="auto"
      rows={3}
      value={value}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}

export function grow(box: HTMLTextAreaElement | null, most = 360): void {
  if (!box) return;
  box.style.blockSize = "auto";
  if (box.scrollHeight) box.style.blockSize = `${Math.min(most, box.scrollHeight + 2)}px`;
}
