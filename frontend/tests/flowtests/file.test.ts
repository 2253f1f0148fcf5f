// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FileKeeper, type FileState, type Theirs } from "../../src/editor/tests/file";
import { store } from "../../src/editor/store/state";
import { network, settle, type Asked } from "../editor/server";

const replied = (text: string, sha: string) => ({ path: "tests/a.test.json", kind: "test", sha, size: text.length, errors: 0, warnings: 0, by: "Bea", at: "2026-01-01T00:00:00Z", text, problems: [] });

describe("a file of tests while it is typed", () => {
  let asked: Asked[];
  let states: FileState[];
  let theirs: Theirs | null;
  const keeper = (stored: string | null = "old", readOnly = false) =>
    new FileKeeper("tests/a.test.json", stored ?? "", { stored, was: stored === null ? "" : "s1", readOnly }, { onState: (state) => states.push(state), onSaved: () => undefined, onTheirs: (found) => (theirs = found) });
  beforeEach(() => {
    asked = network();
    states = [];
    theirs = null;
    store.setState({ id: "f1" });
  });
  afterEach(() => vi.unstubAllGlobals());

  it("is saved over the text that was seen, and again over what was saved", async () => {
    const file = keeper();
    file.change("new");
    void file.save();
    await settle();
    expect(asked[0]).toMatchObject({ method: "PUT", path: "/api/flows/f1/files/tests/a.test.json", body: { text: "new", was: "s1" } });
    file.change("newer");
    await asked[0]!.reply(200, replied("new", "s2"));
    void file.save();
    await settle();
    expect(asked[1]!.body).toEqual({ text: "newer", was: "s2" });
    await asked[1]!.reply(200, replied("newer", "s3"));
    expect(states.at(-1)).toBe("saved");
    expect(file.dirty).toBe(false);
  });

  it("is saved whole before it is closed: what was typed on the way goes after", async () => {
    const file = keeper();
    file.change("new");
    void file.save();
    await settle();
    file.change("newer");
    const last = file.save();
    await asked[0]!.reply(200, replied("new", "s2"));
    await settle();
    expect(asked[1]!.body).toEqual({ text: "newer", was: "s2" });
    await asked[1]!.reply(409, { code: "FILE_CHANGED", message: "Bea saved it.", text: "theirs", sha: "s9", by: "Bea" });
    expect(await last).toBe(false);
    expect(theirs?.text).toBe("theirs");
  });

  it("never replaces what somebody else saved, until the person chose", async () => {
    const file = keeper();
    file.change("mine");
    void file.save();
    await settle();
    await asked[0]!.reply(409, { code: "FILE_CHANGED", message: "Bea saved it.", text: "theirs", sha: "s9", by: "Bea" });
    expect(theirs).toEqual({ text: "theirs", sha: "s9", by: "Bea" });
    file.change("mine, longer");
    await file.save();
    expect(asked.length).toBe(1);
    file.settle({ text: "theirs", sha: "s9", by: "Bea" }, "mine, longer");
    await settle();
    expect(asked[1]!.body).toEqual({ text: "mine, longer", was: "s9" });
  });

  it("is not stored before somebody says so, where it is new", async () => {
    const file = keeper(null);
    file.change("a first test");
    file.end();
    await settle();
    expect([asked.length, states]).toEqual([0, ["new"]]);
    void file.save();
    await settle();
    expect(asked[0]!.body).toEqual({ text: "a first test", was: "" });
  });

  it("sends what waits when the editor closes, and nothing of what may only be read", async () => {
    const file = keeper();
    file.change("new");
    file.end();
    await settle();
    expect(asked[0]!.body).toEqual({ text: "new", was: "s1" });
    const reading = keeper("old", true);
    reading.change("typed");
    reading.end();
    await settle();
    expect(asked.length).toBe(1);
  });
});
