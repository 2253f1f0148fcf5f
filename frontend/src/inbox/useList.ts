import { useCallback, useRef, useState } from "preact/hooks";
import type { Counts, InboxPage, InboxRow, InboxTab } from "../generated/wire";
import { asApiError, get } from "../shared/api";

export interface ListReading {
  tab: InboxTab;
  /** Null until the tab's rows were read. */
  rows: readonly InboxRow[] | null;
  counts: Counts;
  failed: string | null;
  choose: (tab: InboxTab) => void;
  /** Reads it anew; what is shown stays until the reply. */
  read: () => Promise<void>;
}

/** The rows of the chosen tab as the server has them; late replies are dropped. `onSignedOut`: nothing can be read any more. */
export function useList(first: InboxTab, page: InboxPage, onSignedOut: () => void): ListReading {
  const [tab, setTab] = useState(first);
  const [rows, setRows] = useState<readonly InboxRow[] | null>(page.rows);
  const [counts, setCounts] = useState(page.counts);
  const [failed, setFailed] = useState<string | null>(null);
  const now = useRef(first);
  const asked = useRef(0);
  const read = useCallback(async () => {
    const mine = ++asked.current;
    setFailed(null);
    try {
      const next = await get<InboxPage>(`/api/inbox?tab=${now.current}`);
      if (mine !== asked.current) return;
      setRows(next.rows);
      setCounts(next.counts);
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.status === 401) onSignedOut();
      if (mine === asked.current) setFailed(error.message);
    }
  }, []);
  const choose = (which: InboxTab) => {
    now.current = which;
    setTab(which);
    setRows(null);
    void read();
  };
  return { tab, rows, counts, failed, choose, read };
}
