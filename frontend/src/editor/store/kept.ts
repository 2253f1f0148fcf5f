import type { Operation } from "./wire";

/** An edit that the server has not confirmed, as this browser keeps it. */
export interface Kept {
  id: string;
  /** The revision that its author saw. */
  revision: number;
  label: string;
  operations: Operation[];
  at: number;
}

/** Where unconfirmed edits outlive the page: one entry each, so that two tabs never overwrite one another. */
export interface Shelf {
  all: () => Kept[];
  put: (edit: Kept) => void;
  drop: (id: string) => void;
}

const AREA = "lgstudio.edit";

function read(text: string | null): Kept | null {
  try {
    const kept: Kept = JSON.parse(text ?? "");
    const whole = typeof kept.id === "string" && typeof kept.revision === "number" && typeof kept.at === "number";
    return whole && typeof kept.label === "string" && Array.isArray(kept.operations) ? kept : null;
  } catch {
    return null;
  }
}

/** The shelf of one person's edits to one flow. A browser without storage keeps them until the page closes. */
export function shelfOf(person: string, flow: string, storage: Storage | null): Shelf {
  const before = `${AREA}.${person}.${flow}.`;
  return {
    all: () => {
      if (!storage) return [];
      const found: Kept[] = [];
      try {
        for (let at = 0; at < storage.length; at += 1) {
          const key = storage.key(at);
          const kept = key?.startsWith(before) ? read(storage.getItem(key)) : null;
          if (kept) found.push(kept);
        }
      } catch {
        return [];
      }
      return found.sort((one, two) => one.at - two.at || one.revision - two.revision);
    },
    put: (edit) => {
      try {
        storage?.setItem(before + edit.id, JSON.stringify(edit));
      } catch {
        // A full storage loses the second copy, not the edit.
      }
    },
    drop: (id) => {
      try {
        storage?.removeItem(before + id);
      } catch {
        // What cannot be removed is sent once more after a reload, under the same id.
      }
    },
  };
}

export function browserStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
