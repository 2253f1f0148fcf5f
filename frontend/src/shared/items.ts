import type { Frame, Item } from "../generated/frames";

/** The page's items by id. A Map keeps the order of the first put; a put again replaces in place. */
export type Items = ReadonlyMap<string, Item>;

export const NO_ITEMS: Items = new Map();

/** The items after these frames. The same frames applied twice give the same items. */
export function applyFrames(items: Items, frames: readonly Frame[]): Items {
  if (!frames.length) return items;
  const next = new Map(items);
  for (const frame of frames) {
    if (frame.op === "remove") next.delete(frame.id);
    else if (frame.item) next.set(frame.id, frame.item);
  }
  return next;
}

/** One message and everything its run put on the page. */
export interface Turn {
  run: string;
  items: Item[];
  queued: boolean;
}

/** Items grouped by run, runs in the order they first appeared: an answer stays under its own message although a later
 * message was queued before it came. `status` belongs to no turn. */
export function turnsOf(items: Items): Turn[] {
  const turns = new Map<string, Turn>();
  for (const item of items.values()) {
    if (item.type === "status") continue;
    let turn = turns.get(item.run);
    if (!turn) turns.set(item.run, (turn = { run: item.run, items: [], queued: false }));
    turn.items.push(item);
    if (item.type === "message") turn.queued = item.state === "queued";
  }
  return [...turns.values()];
}
