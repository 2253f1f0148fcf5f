import { useEffect } from "react";
import { create } from "zustand";
import type { Callee, Callees } from "../../generated/files";
import { asApiError, get } from "../../shared/api";
import { useScope } from "./scope";

interface Known extends Callees {
  flow: string;
}

const NONE: Known = { flow: "", flows: [], agents: [] };
const known = create<Known>()(() => NONE);

/** What the flow's steps may run. Asked for whenever a field that names such a thing is drawn; what was known is there
 * at once. */
export function useCallees(wanted = true): Callees {
  const { id } = useScope();
  const found = known();
  useEffect(() => {
    if (!wanted) return;
    const stop = new AbortController();
    get<Callees>(`/api/flows/${id}/callees`, stop.signal)
      .then((read) => known.setState({ ...read, flow: id }))
      .catch((thrown: unknown) => {
        // Without them an address is typed.
        if (!stop.signal.aborted) asApiError(thrown);
      });
    return () => stop.abort();
  }, [id, wanted]);
  return found.flow === id ? found : NONE;
}

export const calleeAt = ({ flows }: Callees, address: string): Callee | undefined => flows.find((one) => one.address === address || `./${one.address}` === address || one.address === `./${address}`);
