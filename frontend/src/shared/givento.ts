import { createContext } from "preact";

export interface Desk {
  /** The address for the file of a field. */
  path: (field: string) => string;
  /** Hears the name of a file that is on its way from this box; undefined once none is. */
  onSending: (box: string, name: string | undefined) => void;
}

/** Where a form sends the file of one of its fields; null where files cannot be given. */
export const GivenTo = createContext<Desk | null>(null);
