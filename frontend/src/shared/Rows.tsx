import { Plus, X } from "lucide";
import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Control } from "./Control";
import { columnsOfList, draftsOf, entryOf, labelOfField, sentAs, withoutRow, type Draft, type Field, type Fields as FieldMap } from "./fields";
import { Icon } from "./Icon";
import { t } from "./strings";

type Drafts = { [name: string]: Draft };

/** What every part of a form is told. */
export interface Shared {
  /** By JSON path: items[2].quantity. */
  errors: Record<string, string>;
  disabled?: boolean;
}

export interface RowsProps extends Shared {
  field: Field;
  label: string;
  path: string;
  draft: Draft;
  onChange: (draft: Draft) => void;
  columns?: FieldMap | null;
}

/** A list as rows that are added and taken away, each with its columns or its one entry. */
export function Rows({ field, label, path, draft, onChange, errors, disabled, columns = columnsOfList(field) }: RowsProps): JSX.Element {
  const id = useId();
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
        const rowError = errors[`${path}[${columns ? at : sentAs(entry, rows, at)}]`];
        return (
          <div
            key={at}
            class="field-list-row"
            ref={at === rows.length - 1 ? last : undefined}
            role="group"
            aria-label={t("shared.rowOf", { label, n: at + 1 })}
            aria-describedby={columns && rowError ? `${id}-${at}` : undefined}
          >
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
                <Cell
                  label={t("shared.entryOf", { label, n: at + 1 })}
                  hideLabel
                  error={rowError}
                  field={entry}
                  draft={row}
                  disabled={disabled}
                  onChange={(value) => set(at, value)}
                />
              )}
              {columns && rowError ? (
                <p id={`${id}-${at}`} class="error" dir="auto">
                  {rowError}
                </p>
              ) : null}
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
