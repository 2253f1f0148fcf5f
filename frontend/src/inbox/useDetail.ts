import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { QuestionDetail } from "../generated/wire";
import { asApiError, get, type ApiError } from "../shared/api";

export interface DetailReading {
  /** The chosen question; null until it was read. */
  detail: QuestionDetail | null;
  /** Why it could not be read. */
  failed: ApiError | null;
  /** Reads it anew; what is shown stays until the reply. */
  read: () => Promise<void>;
}

/** The chosen question as the server has it. A reply that comes when another one is chosen, or after a later reply, is
 * dropped: what is drawn is always what was chosen. */
export function useDetail(chosen: string | null): DetailReading {
  const [held, setHeld] = useState<{ question: string; detail: QuestionDetail | null; failed: ApiError | null } | null>(null);
  const now = useRef(chosen);
  now.current = chosen;
  const asked = useRef(0);
  const read = useCallback(async () => {
    const question = now.current;
    if (!question) return;
    const mine = ++asked.current;
    const isLate = () => mine !== asked.current || now.current !== question;
    setHeld((last) => (last?.failed ? null : last));
    try {
      const detail = await get<QuestionDetail>(`/api/questions/${question}`);
      if (!isLate()) setHeld({ question, detail, failed: null });
    } catch (thrown) {
      const failed = asApiError(thrown);
      // What is locked, or signed out, is shown no longer; through anything else it stays.
      const stays = failed.status !== 401;
      if (!isLate()) setHeld((last) => (stays && last?.question === question && last.detail ? last : { question, detail: null, failed }));
    }
  }, []);
  useEffect(() => void read(), [chosen]);
  const shown = held?.question === chosen ? held : null;
  return { detail: shown?.detail ?? null, failed: shown?.failed ?? null, read };
}
