import { useEffect, useRef, useState } from "preact/hooks";
import type { AnswerBody, Decision } from "../../generated/wire";
import { newKey, type ApiError } from "../../shared/api";

export type Decide = (body: Omit<AnswerBody, "key">, key: string) => Promise<ApiError | null>;

export interface Deciding {
  /** The decision under way. */
  busy: Decision | null;
  error: ApiError | null;
  /** Somebody else was first, or the card is another one now. */
  conflict: boolean;
  run: (body: Omit<AnswerBody, "key" | "digest">) => Promise<boolean>;
  clear: () => void;
}

/** Sends decisions about one card, one at a time; the same try again after a lost connection is the same request. */
export function useDecision(digest: string, decide: Decide): Deciding {
  const [busy, setBusy] = useState<Decision | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const sent = useRef<{ body: string; key: string } | null>(null);
  useEffect(() => setError(null), [digest]);
  return {
    busy,
    error,
    conflict: error?.status === 409,
    clear: () => setError(null),
    run: async (body) => {
      if (busy) return false;
      const text = JSON.stringify([digest, body]);
      if (sent.current?.body !== text) sent.current = { body: text, key: newKey() };
      setBusy(body.decision);
      setError(null);
      const refused = await decide({ digest, ...body }, sent.current.key);
      setError(refused);
      if (refused) setBusy(null);
      return refused === null;
    },
  };
}

/** A card that has just come under the pointer does not take the click that was meant for something else. */
const ARM = 300;

export function useArmed(card: string): boolean {
  const [armed, setArmed] = useState<string | null>(null);
  useEffect(() => {
    setArmed(null);
    const timer = setTimeout(() => setArmed(card), ARM);
    return () => clearTimeout(timer);
  }, [card]);
  return armed === card;
}
