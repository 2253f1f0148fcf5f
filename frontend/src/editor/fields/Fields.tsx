/** @jsxImportSource react */
import type { ReactNode } from "react";
import type { Field, Widget } from "../../generated/language";
import { object } from "../store/document";
import { valueAt } from "../store/optimism";
import { FieldRow } from "./Row";
import { belongs, useCompact, useWord, type Steps } from "./scope";

/** Short inputs stand two in a line, where the next one is short as well. */
const SHORT: ReadonlySet<Widget> = new Set(["number", "choice", "route"]);

const isShort = (field: Field, compact: boolean): boolean => SHORT.has(field.widget) || (compact && field.widget === "line");

/** All fields of one place, each in its own input. under: the place in the word. bare: without labels, where the heading
 * above says it already. */
export function Fields({ fields, under = [], bare = false }: { fields: readonly Field[]; under?: Steps; bare?: boolean }): ReactNode {
  const word = useWord();
  const compact = useCompact();
  const holder = object(valueAt(word.value, under));
  const drawn = fields.filter((field) => belongs(field, holder));
  const rows: Field[][] = [];
  for (const field of drawn) {
    const last = rows[rows.length - 1];
    if (last?.length === 1 && last[0] && isShort(last[0], compact) && isShort(field, compact)) last.push(field);
    else rows.push([field]);
  }
  return (
    <>
      {rows.map((row) => (
        <div key={row[0]?.key} className={row.length > 1 ? "ed-two" : "ed-one"}>
          {row.map((field) => (
            <FieldRow key={field.key} field={field} path={[...under, field.key]} bare={bare} />
          ))}
        </div>
      ))}
    </>
  );
}
