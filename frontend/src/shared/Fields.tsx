import { Plus, X } from "lucide";
import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Control, Radios, type ControlProps } from "./Control";
import {
  columnsOfList,
  draftOf,
  draftsOf,
  entryOf,
  labelOfField,
  NAMED_VALUES,
  partsOf,
  withoutRow,
  type Draft,
  type Field,
  type Fields as FieldMap,
} from "./fields";
import { Icon } from "./Icon";
import { t } from "./strings";

type Drafts = { [name: string]: Draft };

interface Shared {
  /** By JSON path: items[2].quantity. */
  errors: Record<string, string>;
  disabled?: boolean;
}

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
  const control: ControlProps = { id, field, draft, onChange, disabled, error: Boolean(error), describedBy };
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
          <List field={field} label={label} path={path} draft={draft} onChange={onChange} errors={errors} disabled={disabled} />
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

function ObjectParts(props: ListProps): JSX.Element {
  const parts = partsOf(props.field);
  if (!parts) return <List {...props} columns={NAMED_VALUES} />;
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

interface ListProps extends Shared {
  field: Field;
  label: string;
  path: string;
  draft: Draft;
  onChange: (draft: Draft) => void;
  columns?: FieldMap | null;
}

function List({ field, label, path, draft, onChange, errors, disabled, columns = columnsOfList(field) }: ListProps): JSX.Element {
  const rows = Array.isArray(draft) ? draft : [];
  const entry = entryOf(field);
  const empty: Draft = columns ? draftsOf(columns, {}) : "";
  const last = useRef<HTMLDivElement>(null);
  const added = useRef(false);
  useEffect(() => {
    if (!added.current) return;
    added.current = false;
    last.current?.querySelector<HTMLElement>("input, select, textarea")?.focus();
  }, [rows.length]);
  const set = (at: number, value: Draft) => onChange(rows.map((row, index) => (index === at ? value : row)));
  const add = () => {
    added.current = true;
    onChange([...rows, empty]);
  };
  return (
    <div class="field-list">
      {columns ? <ListHead columns={columns} /> : null}
      {rows.map((row, at) => {
        const rowError = errors[`${path}[${at}]`];
        return (
          <div key={at} class="field-list-row" ref={at === rows.length - 1 ? last : undefined} role="group" aria-label={t("shared.rowOf", { label, n: at + 1 })}>
            <div class="field-list-cells">
              {columns ? (
                Object.entries(columns).map(([name, column]) => (
                  <Cell
                    key={name}
                    label={labelOfField(name, column)}
                    error={errors[`${path}[${at}].${name}`]}
                    field={column}
                    draft={(row as Drafts)[name] ?? ""}
                    disabled={disabled}
                    onChange={(value) => set(at, { ...(row as Drafts), [name]: value })}
                  />
                ))
              ) : (
                <Cell label={t("shared.entryOf", { label, n: at + 1 })} hideLabel field={entry} draft={row} disabled={disabled} onChange={(value) => set(at, value)} />
              )}
              {rowError ? <p class="error">{rowError}</p> : null}
            </div>
            <button
              type="button"
              class="btn btn-ghost btn-icon field-list-remove"
              disabled={disabled || (rows.length === 1 && JSON.stringify(row) === JSON.stringify(empty))}
              aria-label={t("shared.removeRow", { n: at + 1 })}
              title={t("shared.removeRow", { n: at + 1 })}
              onClick={() => onChange(withoutRow(rows, at, empty))}
            >
              <Icon of={X} />
            </button>
          </div>
        );
      })}
      <button type="button" class="btn btn-small field-list-add" disabled={disabled} aria-label={t("shared.addTo", { label })} onClick={add}>
        <Icon of={Plus} size={14} />
        {t("shared.addRow")}
      </button>
    </div>
  );
}

function ListHead({ columns }: { columns: FieldMap }): JSX.Element {
  return (
    <div class="field-list-head" aria-hidden="true">
      {Object.entries(columns).map(([name, column]) => (
        <span key={name} class={column.type === "number" ? "number" : undefined} dir="auto">
          {labelOfField(name, column)}
        </span>
      ))}
    </div>
  );
}

interface CellProps {
  label: string;
  hideLabel?: boolean;
  error?: string;
  field: Field;
  draft: Draft;
  disabled?: boolean;
  onChange: (draft: Draft) => void;
}

function Cell({ label, hideLabel, error, field, draft, disabled, onChange }: CellProps): JSX.Element {
  const id = useId();
  return (
    <div class="field-cell">
      <label class={hideLabel ? "sr" : "label field-cell-label"} for={id} dir="auto">
        {label}
      </label>
      <Control
        id={id}
        field={field}
        draft={draft}
        onChange={onChange}
        disabled={disabled}
        error={Boolean(error)}
        describedBy={error ? `${id}-error` : undefined}
        label={label}
      />
      {error ? (
        <p id={`${id}-error`} class="error" dir="auto">
          {error}
        </p>
      ) : null}
    </div>
  );
}
