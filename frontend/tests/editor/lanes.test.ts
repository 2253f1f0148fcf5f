import { describe, expect, it } from "vitest";
import { laneOf, through } from "../../src/editor/canvas/lanes";
import { HEIGHT, WIDTH } from "../../src/editor/canvas/places";

const COLUMN = WIDTH + 88;
const at = (column: number, y: number) => ({ x: column * COLUMN, y });

describe("a line past cards", () => {
  it("keeps its own curve where nothing stands in its way", () => {
    expect(laneOf(at(0, 0), at(2, 0), "r", [at(0, 0), at(1, 200), at(2, 0)], [])).toBeNull();
    expect(laneOf(at(0, 0), at(1, 0), "r", [at(0, 0), at(1, 0)], [])).toBeNull();
  });

  it("goes around a card between its ends, by the shorter way", () => {
    const lane = laneOf(at(0, 0), at(2, 0), "r", [at(0, 0), at(1, -40), at(2, 0)], []);
    expect(lane).not.toBeNull();
    expect(lane! > -40 + HEIGHT || lane! < -40).toBe(true);
    const low = laneOf(at(0, 0), at(2, 0), "r", [at(0, 0), at(1, 30), at(2, 0)], []);
    expect(low).toBeLessThan(30);
  });

  it("goes between no two cards that leave no room, and around a column of them", () => {
    const column = [at(1, -110), at(1, 0), at(1, 110)];
    const lane = laneOf(at(0, 0), at(2, 0), "r", [at(0, 0), ...column, at(2, 0)], [])!;
    expect(lane < -110 || lane > 110 + HEIGHT).toBe(true);
  });

  it("shares its lane with no other line", () => {
    const cards = [at(0, 0), at(1, -40), at(2, 0)];
    const used: number[] = [];
    const one = laneOf(cards[0]!, cards[2]!, "r", cards, used)!;
    const two = laneOf(cards[0]!, cards[2]!, "r", cards, used)!;
    expect(Math.abs(one - two)).toBeGreaterThanOrEqual(10);
  });

  it("leaves a failure's line below its step", () => {
    const cards = [at(0, 0), at(1, 60), at(2, 0)];
    expect(laneOf(cards[0]!, cards[2]!, "b", cards, [])).toBeGreaterThan(HEIGHT);
  });

  it("is drawn through its lane, its name in the middle of it", () => {
    const [path, x, y] = through(300, 0, 50, 800, 60, false);
    expect(path).toMatch(/^M 0 50 C .* 300 L \d+ 300 C .* 800 60$/);
    expect([x, y]).toEqual([400, 300]);
  });
});
