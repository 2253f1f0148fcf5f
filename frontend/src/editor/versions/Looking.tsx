/** @jsxImportSource react */
import { lazy, Suspense, useEffect, useState, type ReactElement } from "react";
import type { Difference, VersionText } from "../../generated/runs";
import { asApiError, get } from "../../shared/api";
import { t } from "../../shared/strings";
import { moment } from "../../shared/time";
import { useEditor } from "../store/state";
import { Lines } from "./Lines";
import { Sheet } from "./Sheet";

const Reading = lazy(() => import("./Texts").then((found) => ({ default: found.Reading })));
const Comparing = lazy(() => import("./Texts").then((found) => ({ default: found.Comparing })));

/** "draft", or a version's number. */
export type Which = "draft" | number;

export const called = (which: Which): string => (which === "draft" ? t("versions.draft") : t("versions.version", { number: which }));

const wait = <span className="skeleton skeleton-block" />;

interface Loaded<T> {
  found: T | null;
  failed: string;
}

function useLoaded<T>(path: string): Loaded<T> {
  const [read, setRead] = useState<Loaded<T>>({ found: null, failed: "" });
  useEffect(() => {
    const stop = new AbortController();
    setRead({ found: null, failed: "" });
    get<T>(path, stop.signal)
      .then((found) => setRead({ found, failed: "" }))
      .catch((thrown: unknown) => {
        if (!stop.signal.aborted) setRead({ found: null, failed: asApiError(thrown).message });
      });
    return () => stop.abort();
  }, [path]);
  return read;
}

function Segments({ names, now, onChoose, label }: { names: [string, string][]; now: string; onChoose: (name: string) => void; label: string }): ReactElement {
  return (
    <div className="segments" role="group" aria-label={label}>
      {names.map(([name, words]) => (
        <button key={name} type="button" className="segment" aria-pressed={name === now} onClick={() => onChoose(name)}>
          {words}
        </button>
      ))}
    </div>
  );
}

/** One version as it is kept: its JSON, and its code. */
export function Viewing({ number, onClose }: { number: number; onClose: () => void }): ReactElement {
  const id = useEditor((state) => state.id);
  const { found, failed } = useLoaded<VersionText>(`/api/flows/${id}/versions/${number}`);
  const [part, setPart] = useState("");
  const units = Object.entries(found?.units ?? {});
  const title = t("versions.viewTitle", { number });
  const code = units.find(([unit]) => unit === part);
  const names: [string, string][] = [["", t("versions.json")], ...units.map(([unit]): [string, string] => [unit, unit.split(":")[1] ?? unit])];
  return (
    <Sheet title={title} onClose={onClose} side={units.length ? <Segments names={names} now={part} onChoose={setPart} label={t("versions.code")} /> : null}>
      {found ? (
        <>
          <p className="small muted">
            {[found.note, found.by, moment(found.at)].filter(Boolean).join(" · ")}
          </p>
          <Suspense fallback={wait}>
            {code ? <Reading key={part} text={code[1]} of="python" label={code[0]} /> : <Reading text={found.text} of="json" label={title} />}
          </Suspense>
        </>
      ) : failed ? (
        <p className="notice notice-bad">{failed}</p>
      ) : (
        wait
      )}
    </Sheet>
  );
}

/** What the second changes of the first: in words, then both texts, then code. */
export function Diffing({ from, to, onClose }: { from: Which; to: Which; onClose: () => void }): ReactElement {
  const id = useEditor((state) => state.id);
  const { found, failed } = useLoaded<Difference>(`/api/flows/${id}/versions/${from}/${to}`);
  const [part, setPart] = useState("words");
  const labels: [string, string] = [called(from), called(to)];
  const title = t("versions.diffTitle", { from: labels[0], to: labels[1] });
  const unit = found?.units.find((one) => one.id === part);
  const names: [string, string][] = [
    ["words", t("versions.inWords")],
    ["json", t("versions.asText")],
    ...(found?.units ?? []).map((one): [string, string] => [one.id, t("versions.asCode", { name: one.id.split(":")[1] ?? one.id })]),
  ];
  const same = found !== null && !found.lines.length && !found.units.length && found.old === found.new;
  return (
    <Sheet title={title} onClose={onClose} side={<Segments names={names} now={part} onChoose={setPart} label={title} />}>
      {failed ? <p className="notice notice-bad">{failed}</p> : null}
      {!found ? (
        failed ? null : wait
      ) : same ? (
        <p className="ed-versions-same">{t("versions.noDifference")}</p>
      ) : part === "words" ? (
        found.lines.length ? <Lines lines={found.lines} shows={false} /> : <p className="ed-versions-same">{t("versions.noDifference")}</p>
      ) : (
        <Suspense fallback={wait}>
          <div className="ed-texts-heads">
            <span>{labels[0]}</span>
            <span>{labels[1]}</span>
          </div>
          {unit ? <Comparing key={unit.id} old={unit.old} text={unit.new} of="python" labels={labels} /> : <Comparing old={found.old} text={found.new} of="json" labels={labels} />}
        </Suspense>
      )}
    </Sheet>
  );
}
