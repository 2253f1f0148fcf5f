import { createContext } from "preact";

/** Where a form sends the file of one of its fields; null where files cannot be given. */
export const GivenTo = createContext<((field: string) => string) | null>(null);
