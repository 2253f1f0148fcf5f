/** @jsxImportSource react */
import { GitMerge } from "lucide-react";
import { useState, type ReactElement } from "react";
import { t } from "../../shared/strings";
import { ago } from "../../shared/time";
import { editor } from "../store/editor";
import { useEditor } from "../store/state";
import type { Aside, Json } from "../store/wire";

function valueWords(value: Json): string {
  if (value === null || value === undefined) return t("edit.conflict.nothing");
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

function One({ aside }: { aside: Aside }): ReactElement {
  return (
    <li className="ed-aside">
      <p className="ed-aside-head">
        <b dir="auto">{aside.label || t("edit.conflict.unnamed")}</b>
        <time dateTime={aside.at}>{ago(aside.at)}</time>
      </p>
      <p dir="auto">{aside.message}</p>
      {aside.places.map((place, at) => (
        <dl key={at} className="ed-aside-place">
          <dt dir="auto">{place.words}</dt>
          <dd>
            <span className="overline">{t("edit.conflict.mine")}</span>
            <pre dir="auto">{valueWords(place.yours)}</pre>
          </dd>
          <dd>
            <span className="overline">{t("edit.conflict.theirs")}</span>
            <pre dir="auto">{valueWords(place.theirs)}</pre>
          </dd>
        </dl>
      ))}
      <p className="ed-aside-acts">
        <button type="button" className="btn btn-small" onClick={() => void editor.settle(aside.id, "drop")}>
          {t("edit.conflict.keepTheirs")}
        </button>
        <button type="button" className="btn btn-small btn-primary" onClick={() => void editor.settle(aside.id, "apply")}>
          {t("edit.conflict.useMine")}
        </button>
      </p>
    </li>
  );
}

/** Edits that met somebody else's: both values, and whose counts is for the person to say. */
export function Asides(): ReactElement | null {
  const asides = useEditor((state) => state.asides);
  const canEdit = useEditor((state) => state.mayEdit);
  const [open, setOpen] = useState(true);
  const mine = asides.filter((one) => one.mine);
  if (!mine.length || !canEdit) return null;
  return (
    <section className="ed-asides" aria-label={t("edit.conflict.title")} role="region">
      <h2 className="heading">
        <GitMerge size={16} aria-hidden="true" />
        {t("edit.conflict.count", { count: mine.length })}
        <button type="button" className="link ed-aside-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t(open ? "edit.conflict.later" : "edit.conflict.show")}
        </button>
      </h2>
      {open ? (
        <>
          <p className="small soft">{t("edit.conflict.lead")}</p>
          <ul className="ed-aside-list">
            {mine.map((aside) => (
              <One key={aside.id} aside={aside} />
            ))}
          </ul>
        </>
      ) : null}
    </section>
  );
}
