import { useEffect, useRef, useState } from "react";
import type { Proposed, UnitCode, UnitReply } from "../../generated/units";
import { ApiError, get, post, put } from "../../shared/api";
import { t } from "../../shared/strings";
import { editor } from "../store/editor";

const addressOf = (flow: string, kind: string, name: string): string => `/api/flows/${flow}/units/${kind}/${encodeURIComponent(name)}`;

export interface Writing {
  /** Whole seconds since the model was asked; null while nobody asks it. */
  seconds: number | null;
  /** Why nothing came of it. */
  words: string;
  /** What was written, with the code that it is to replace. */
  made: { proposed: Proposed; unit: UnitCode } | null;
}

export interface UnitActs {
  writing: Writing;
  generate: () => Promise<void>;
  stop: () => void;
  take: (yes: boolean) => Promise<boolean>;
  drop: () => void;
}

const said = (thrown: unknown): string => {
  if (thrown instanceof ApiError) return thrown.message;
  throw thrown;
};

/** Has a unit written by the model, and takes what was written once it was looked at; at once where there is none. */
export function useUnit(flow: string, kind: string, name: string): UnitActs {
  const [writing, setWriting] = useState<Writing>({ seconds: null, words: "", made: null });
  const asked = useRef(0);
  const alive = useRef(true);
  const here = addressOf(flow, kind, name);
  useEffect(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);
  const waits = writing.seconds !== null;
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => setWriting((now) => (now.seconds === null ? now : { ...now, seconds: now.seconds + 1 })), 1000);
    return () => clearInterval(timer);
  }, [waits]);

  const keep = async (proposed: Proposed, was: string, yes: boolean): Promise<boolean> => {
    try {
      await post<UnitReply>(`${here}/take`, { code: proposed.code, seal: proposed.seal, was, yes });
      if (alive.current) setWriting({ seconds: null, words: "", made: null });
      await editor.refresh();
      return true;
    } catch (thrown) {
      const words = said(thrown);
      if (alive.current) setWriting((now) => ({ ...now, seconds: null, words }));
      return false;
    }
  };
  return {
    writing,
    generate: async () => {
      const mine = (asked.current += 1);
      setWriting({ seconds: 0, words: "", made: null });
      try {
        const { unit, proposed } = await post<UnitReply>(`${here}/generate`, { keep: false });
        if (mine !== asked.current || !alive.current || !proposed) return;
        if (!unit.code && !proposed.problems.length) await keep(proposed, unit.mark, false);
        else setWriting({ seconds: null, words: "", made: { proposed, unit } });
      } catch (thrown) {
        const words = said(thrown);
        if (mine === asked.current && alive.current) setWriting({ seconds: null, words: t("panel.code.failed", { why: words }), made: null });
      }
    },
    stop: () => {
      asked.current += 1;
      setWriting({ seconds: null, words: t("panel.code.stopped"), made: null });
    },
    take: async (yes) => {
      const { made } = writing;
      return made ? keep(made.proposed, made.unit.mark, yes) : false;
    },
    drop: () => setWriting({ seconds: null, words: "", made: null }),
  };
}

export const readUnit = async (flow: string, kind: string, name: string): Promise<UnitCode> => (await get<UnitReply>(addressOf(flow, kind, name))).unit;

export async function saveUnit(flow: string, kind: string, name: string, code: string, was: string): Promise<UnitCode> {
  const { unit } = await put<UnitReply>(addressOf(flow, kind, name), { code, was });
  await editor.refresh();
  return unit;
}
