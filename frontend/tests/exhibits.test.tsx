// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { approval } from "../dev/scenes/chat";
import { Approval } from "../src/chat/cards/Approval";
import type { Exhibit } from "../src/generated/frames";
import { usePage } from "./page";

const SHA = "ab".repeat(32);
const paper = (more: Partial<Exhibit> = {}): Exhibit => ({
  label: "Invoice", channel: "invoice", id: "11111111-1111-4111-8111-111111111111", name: "invoice.pdf", mediaType: "application/pdf", bytes: 84_500, sha256: SHA, opens: true, lost: false, ...more,
});
const PICTURE = paper({ label: "Photo", channel: "photo", id: "22222222-2222-4222-8222-222222222222", name: "goods.png", mediaType: "image/png" });
const decide = () => Promise.resolve(null);

describe("documents on a card that decides", () => {
  const page = usePage();
  const sealed = async (exhibits: Exhibit[]) => {
    await page.draw(<Approval item={approval("r1", { exhibits })} decide={decide} />);
    return page.sealed.at(-1)!;
  };

  // LG-approval-31
  it("are a part of their own, to be opened before the account is read", async () => {
    const root = await sealed([paper(), PICTURE]);
    const parts = [...root.querySelectorAll(".part")].map((part) => part.className);
    expect(parts).toEqual(["part figures", "part exhibits", "part why"]);
    expect(root.querySelector(".figures")!.textContent).not.toContain("invoice.pdf");
    expect(root.querySelector(".why")!.textContent).not.toContain("invoice.pdf");
    const [first, second] = [...root.querySelectorAll(".exhibit")];
    for (const words of ["Invoice", "invoice.pdf", "PDF", "85 KB", "application/pdf", SHA]) expect(first!.textContent).toContain(words);
    const links = (row: Element | undefined) => [...(row?.querySelectorAll("a") ?? [])].map((link) => link.getAttribute("href"));
    expect(links(first)).toEqual([`/files/${paper().id}?download=1`]);
    expect(links(second)).toEqual([`/files/${PICTURE.id}`, `/files/${PICTURE.id}?download=1`]);
  });

  // LG-approval-39, LG-approval-40
  it("that will not open are listed all the same, and say so", async () => {
    const root = await sealed([paper({ opens: false }), paper({ channel: "lost", id: "", sha256: "", opens: false })]);
    const rows = [...root.querySelectorAll(".exhibit")];
    expect(rows.map((row) => row.querySelectorAll("a").length)).toEqual([0, 0]);
    for (const row of rows) expect(row.textContent).toContain("It will not open");
    expect(rows[0]!.textContent).toContain(SHA);
    expect(rows[1]!.textContent).not.toContain("SHA-256");
  });

  // LG-approval-40
  it("say that they went as soon as it is known, while somebody may decide", async () => {
    const root = await sealed([paper(), PICTURE]);
    const rows = () => [...root.querySelectorAll(".exhibit")].map((row) => row.querySelector(".exhibit-closed")?.textContent ?? "");
    expect(rows()).toEqual(["", ""]);
    dispatchEvent(new Event("focus"));
    await (await page.wait("GET", /\/api\/questions\/r1-q\/exhibits/)).reply(200, { lost: ["photo"] });
    expect(rows()).toEqual(["", expect.stringContaining("Approving now sends nothing")]);
    expect(root.querySelectorAll(".exhibit")[1]!.querySelector("a")).toBeNull();
    // Who opens one hears of it by the same press, and what came back opens again.
    root.querySelector<HTMLElement>(".exhibit-acts")!.click();
    await (await page.wait("GET", /exhibits/)).reply(200, { lost: [] });
    expect(rows()).toEqual(["", ""]);
    await page.draw(<Approval item={approval("r1", { exhibits: [paper({ opens: false, lost: true })], state: "declined", canDecide: false })} decide={decide} />);
    expect(rows()).toEqual([expect.not.stringContaining("Approving")]);
    dispatchEvent(new Event("focus"));
    await page.settle();
    expect(page.asked).toEqual([]);
  });

  // LG-approval-34
  it("have no heading where there are none", async () => {
    expect((await sealed([])).querySelector(".exhibits")).toBeNull();
  });

  it("show hidden characters of a name", async () => {
    expect((await sealed([paper({ name: "gpj.‮exe" })])).textContent).toContain("‹U+202E›");
  });
});
