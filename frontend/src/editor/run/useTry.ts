import { useCallback, useEffect, useRef, useState } from "react";
import type { Tried } from "../../generated/runs";
import { asApiError, post } from "../../shared/api";
import { useEditor } from "../store/state";

const SETTLED = 500;

export interface Trying {
  tried: Tried | null;
  failed: string;
  busy: boolean;
  again: () => Promise<void>;
}

/** Keeps the workbench at the newest draft: tried when the pane opens, and again when the draft has rested for a moment. */
export function useTry(): Trying {
  const id = useEditor((state) => state.id);
  const revision = useEditor((state) => state.revision);
  const units = useEditor((state) => state.units);
  const saved = useEditor((state) => state.saving === "saved");
  const [tried, setTried] = useState<Tried | null>(null);
  const [failed, setFailed] = useState("");
  const [busy, setBusy] = useState(true);
  const latest = useRef(0);
  const again = useCallback(async () => {
    const mine = ++latest.current;
    setBusy(true);
    try {
      const found = await post<Tried>(`/api/flows/${id}/try`);
      if (mine !== latest.current) return;
      setTried(found);
      setFailed("");
    } catch (thrown) {
      if (mine === latest.current) setFailed(asApiError(thrown).message);
    } finally {
      if (mine === latest.current) setBusy(false);
    }
  }, [id]);
  const first = useRef(true);
  useEffect(() => {
    if (!saved) return;
    const wait = first.current ? 0 : SETTLED;
    first.current = false;
    const timer = setTimeout(() => void again(), wait);
    return () => clearTimeout(timer);
  }, [again, revision, units, saved]);
  return { tried, failed, busy, again };
}
