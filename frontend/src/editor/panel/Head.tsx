/** @jsxImportSource react */
import { ArrowLeft, CircleHelp } from "lucide-react";
import type { ReactNode } from "react";
import type { Field } from "../../generated/language";
import { t } from "../../shared/strings";
import { Problems } from "../fields/Row";
import { problemsAt, setting, useScope, useWord, type Opened } from "../fields/scope";
import { pathOf, stepsOf } from "../store/paths";

/** The page of the reference that explains a word, as its fields say. */
export const topicOf = (fields: readonly Field[]): string | undefined => fields.find((field) => field.topic)?.topic;

interface HeadProps {
  sign: ReactNode;
  title: string;
  kind: string;
  /** The list that it is in, instead of its sign. */
  back?: { words: string; part: Opened };
  /** The page of the reference that explains it. */
  topic?: string | undefined;
}

/** What the panel is about: its sign, or the way back to the list that it is in; its name; what kind of thing it is. */
export function Head({ sign, title, kind, back, topic }: HeadProps): ReactNode {
  const scope = useScope();
  return (
    <header className="ed-panel-head">
      {back ? (
        <button type="button" className="ed-icon ed-back" aria-label={back.words} title={back.words} onClick={() => scope.open(back.part)}>
          <ArrowLeft size={15} />
        </button>
      ) : (
        sign
      )}
      <h2 className="ed-panel-title clip" title={title}>
        {title}
      </h2>
      {topic ? (
        <a className="ed-icon" href={`/reference/${topic}`} target="_blank" rel="noreferrer" aria-label={t("panel.explained")} title={t("panel.explained")}>
          <CircleHelp size={15} />
        </a>
      ) : null}
      {kind ? <span className="badge">{kind}</span> : null}
    </header>
  );
}

/** Problems of the word that belong to none of its fields: of the whole, of a word that it does not know, of a field that
 * is missing and that no panel draws. */
export function WholeProblems({ keys }: { keys: readonly string[] }): ReactNode {
  const scope = useScope();
  const word = useWord();
  const at = pathOf(word.base);
  const depth = word.base.length;
  const found = (at ? problemsAt(scope.problems, at, true) : scope.problems).filter((one) => {
    const key = stepsOf(one.path)[depth];
    return key === undefined || !keys.includes(String(key));
  });
  if (!found.length || (!at && !found.some((one) => one.path === ""))) return null;
  return (
    <div className="ed-whole" data-path={at}>
      {found.map((one, index) => {
        const key = stepsOf(one.path)[depth];
        const stray = one.code === "UNKNOWN_KEY" && typeof key === "string" && word.value[key] !== undefined;
        return (
          <div key={index}>
            <Problems problem={one} />
            {stray && !scope.readOnly ? (
              <button
                type="button"
                className="ed-act"
                onClick={() => void scope.edit(t("panel.removeWhat", { what: key }), [setting(word, [key], undefined)])}
              >
                {t("panel.dismiss")}
              </button>
            ) : null}
          </div>
        );
      })}
    </div>
  );
}
