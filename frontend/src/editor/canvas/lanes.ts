import type { XY } from "../store/wire";
import { GAP_X, HEIGHT, PORT, WIDTH, type Side } from "./places";

/** So far from the cards runs a line that goes around them; two in one lane keep so far apart. */
const CLEAR = 18;
const APART = 10;
/** Within so much a line turns into its lane: the gap between two columns that are put in order has room for it. */
export const TURN = GAP_X - 12;
const SAMPLES = 24;

const meets = (card: XY, x: number, y: number, room: number): boolean => x > card.x - room && x < card.x + WIDTH + room && y > card.y - room && y < card.y + HEIGHT + room;

/** How far a curve's handle stands from its end, as React Flow bends its lines. */
const handle = (distance: number): number => (distance >= 0 ? distance / 2 : 6.25 * Math.sqrt(-distance));

function points(sx: number, sy: number, tx: number, ty: number, source: Side): [number, number][] {
  const [ax, ay] = source === "b" ? [sx, sy + handle(ty - sy)] : [sx + handle(tx - sx), sy];
  const bx = tx - handle(tx - sx);
  return Array.from({ length: SAMPLES - 1 }, (_, at) => {
    const t = (at + 1) / SAMPLES;
    const [p, q, r, s] = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t ** 2, t ** 3];
    return [p * sx + q * ax + r * bx + s * tx, p * sy + q * ay + r * ty + s * ty];
  });
}

/**
 * The height at which a line to a card further on passes the cards between the two, so that it runs behind none of
 * them; null when its own curve is free. used: lanes of other lines, to which this one's is added.
 */
export function laneOf(from: XY, to: XY, source: Side, cards: readonly XY[], used: number[]): number | null {
  const below = source === "b";
  const [sx, sy] = below ? [from.x + WIDTH / 2, from.y + HEIGHT] : [from.x + WIDTH, from.y + PORT];
  const [tx, ty] = [to.x, to.y + PORT];
  if (tx - sx < 2 * TURN) return null;
  const between = cards.filter((card) => card.x < tx - 4 && card.x + WIDTH > sx + 4 && !(card.x === from.x && card.y === from.y));
  if (!points(sx, sy, tx, ty, source).some(([x, y]) => between.some((card) => meets(card, x, y, 2)))) return null;
  const free = between
    .flatMap((card) => [card.y - CLEAR, card.y + HEIGHT + CLEAR])
    .filter((lane) => (!below || lane >= sy + CLEAR) && !between.some((card) => lane > card.y - CLEAR && lane < card.y + HEIGHT + CLEAR));
  const nearest = free.sort((one, two) => Math.abs(one - sy) + Math.abs(one - ty) - Math.abs(two - sy) - Math.abs(two - ty))[0];
  if (nearest === undefined) return null;
  const away = between.some((card) => card.y + HEIGHT + CLEAR === nearest) ? APART : -APART;
  let lane = nearest;
  for (let tries = 0; tries < 3 && used.some((other) => Math.abs(other - lane) < APART); tries += 1) lane += away;
  used.push(lane);
  return lane;
}

/** The line through its lane; where its name stands. */
export function through(lane: number, sx: number, sy: number, tx: number, ty: number, below: boolean): [string, number, number] {
  const half = TURN / 2;
  const leave = below ? `C ${sx} ${lane}, ${sx} ${lane}, ${sx + half} ${lane}` : `C ${sx + half} ${sy}, ${sx + half} ${lane}, ${sx + TURN} ${lane}`;
  return [`M ${sx} ${sy} ${leave} L ${tx - TURN} ${lane} C ${tx - half} ${lane}, ${tx - half} ${ty}, ${tx} ${ty}`, (sx + tx) / 2, lane];
}
