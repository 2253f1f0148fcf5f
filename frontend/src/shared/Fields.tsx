import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { Control, Radios, type ControlProps } from "./Control";
import {
  draftOf,
  labelOfField,
  NAMED_VALUES,
  partsOf,
  type Draft,
  type Field,
  type Fields as FieldMap,
} from "./fields";
import { Rows, type RowsProps, type Shared } from "./Rows";
import { t } from "./strings";

type Drafts = { [name: string]: Draft };

interface FieldsProps extends Shared {
  fields: FieldMap;
  drafts: Drafts;
  path?: string;
  onChange: (drafts: Drafts) => void;
}

/** A set of fields, one under the other. */
export function Fields({ fields, drafts, path = "", onChange, ...shared }: FieldsProps): JSX.Element {
  return (
    <div class="form">
      {Object.entries(fields).map(([name, field]) => (
        <FieldRow
          key={name}
          name={name}
          field={field}
          path={path ? `${path}.${name}` : name}
          draft={drafts[name] ?? draftOf(field, undefined)}
          onChange={(draft) => onChange({ ...drafts, [name]: draft })}
          {...shared}
        />
      ))}
    </div>
  );
}

interface RowProps extends Shared {
  name: string;
  field: Field;
  path: string;
  draft: Draft;
  onChange: (draft: Draft) => void;
}

/** How many choices stand open; more fold into a list. */
const OPEN_CHOICES = 5;

function FieldRow({ name, field, path, draft, onChange, errors, disabled }: RowProps): JSX.Element {
  const id = useId();
  const label = labelOfField(name, field);
  const error = errors[path];
  const describedBy = [field.description ? `${id}-help` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ") || undefined;
  const control: ControlProps = { id, name, field, draft, onChange, disabled, error: Boolean(error), describedBy };
  const notes = (
    <>
      {field.description ? (
        <p id={`${id}-help`} class="help" dir="auto">
          {field.description}
        </p>
      ) : null}
      {error ? (
        <p id={`${id}-error`} class="error" dir="auto">
          {error}
        </p>
      ) : null}
    </>
  );
  if (field.type === "boolean" && !field.options?.length) {
    return (
      <div class="field" data-path={path}>
        <label class="switch">
          <input
            id={id}
            type="checkbox"
            role="switch"
            checked={draft === true}
            disabled={disabled}
            aria-describedby={describedBy}
            aria-invalid={error ? "true" : undefined}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
          <span dir="auto">{label}</span>
        </label>
        {notes}
      </div>
    );
  }
  const group = field.type === "list" || field.type === "object" || usesRadios(field);
  const head = (
    <>
      <span dir="auto">{label}</span>
      {field.required ? null : <span class="label-note">{t("shared.optional")}</span>}
    </>
  );
  if (group) {
    return (
      <fieldset class="field" data-path={path} aria-describedby={describedBy}>
        <legend class="label">{head}</legend>
        {field.type === "list" && !field.options?.length ? (
          <Rows field={field} label={label} path={path} draft={draft} onChange={onChange} errors={errors} disabled={disabled} />
        ) : field.type === "object" && !field.options?.length ? (
          <ObjectParts field={field} label={label} path={path} draft={draft} onChange={onChange} errors={errors} disabled={disabled} />
        ) : (
          <Radios {...control} />
        )}
        {notes}
      </fieldset>
    );
  }
  return (
    <div class="field" data-path={path}>
      <label class="label" for={id}>
        {head}
      </label>
      <Control {...control} required={field.required} />
      {notes}
    </div>
  );
}

function ObjectParts(props: RowsProps): JSX.Element {
  const parts = partsOf(props.field);
  if (!parts) return <Rows {...props} columns={NAMED_VALUES} />;
  const { path, draft, onChange, errors, disabled } = props;
  return (
    <div class="field-nested">
      <Fields fields={parts} drafts={draft as Drafts} path={path} onChange={onChange} errors={errors} disabled={disabled} />
    </div>
  );
}

const usesRadios = (field: Field): boolean => {
  const count = field.options?.length ?? 0;
  return count > 0 && count <= OPEN_CHOICES;
};
