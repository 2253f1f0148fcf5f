// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import type { InboxBoot, QuestionDetail } from "../src/generated/wire";
import { Inbox } from "../src/inbox/Inbox";
import { tabAfter } from "../src/shared/Tabs";
import { detailOf, DECIDED, MINE, OTHERS } from "../dev/scenes/inbox";
import { TestSocket, usePage } from "./page";

const counts = { mine: MINE.length, others: OTHERS.length, decided: DECIDED.length };
const boot = (more: Partial<InboxBoot> = {}): InboxBoot => ({ tab: "mine", page: { rows: MINE, counts }, question: "i1", workspace: "Northwind", ...more });
const titled = (question: string, title: string): QuestionDetail => {
  const detail = detailOf(question);
  return { ...detail, row: { ...detail.row, title }, card: { ...detail.card, ask: title } as QuestionDetail["card"] };
};

// LG-approval-03, LG-approval-04: nothing is decided but what the person sees.
describe("the inbox", () => {
  const page = usePage();
  const drawn = () => page.root.querySelector(".case .title")?.textContent;
  const asks = (question: string) => page.wait("GET", new RegExp(`/api/questions/${question}$`));
  const press = async (key: string, on: EventTarget = window) => {
    on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }));
    await page.settle();
  };
  /** A card takes no click in its first moments. */
  const armed = async () => {
    for (let turn = 0; turn < 60 && page.button("Approve").disabled; turn += 1) await page.settle();
  };

  it("drops a reply for a question that is no longer chosen", async () => {
    await page.draw(<Inbox boot={boot()} />);
    const first = await asks("i1");
    await press("j");
    const second = await asks("i2");
    await second.reply(200, titled("i2", "Second"));
    await first.reply(200, titled("i1", "First"));
    expect(drawn()).toBe("Second");
    await armed();
    page.button("Approve").click();
    await page.settle();
    const posted = await page.wait("POST", /answer$/);
    expect([posted.path, posted.body.digest]).toEqual(["/api/questions/i2/answer", "d-i2"]);
  });

  it("draws nothing of the last question while the next one is read, and no key decides it", async () => {
    await page.draw(<Inbox boot={boot()} />);
    await (await asks("i1")).reply(200, titled("i1", "First"));
    await press("j");
    expect(drawn()).toBeUndefined();
    await press("a");
    await (await asks("i2")).reply(200, titled("i2", "Second"));
    page.button("Approve");
    expect(() => page.button("Yes, approve")).toThrow();
  });

  it("withdraws the question that is drawn", async () => {
    await page.draw(<Inbox boot={boot({ tab: "others", page: { rows: OTHERS, counts }, question: "o1" })} />);
    await (await asks("o1")).reply(200, detailOf("o1"));
    page.button("Withdraw").click();
    await page.settle();
    page.button("Withdraw").click();
    await page.settle();
    const posted = await page.wait("POST", /answer$/);
    expect([posted.path, posted.body]).toMatchObject(["/api/questions/o1/answer", { decision: "withdraw", digest: "d-o1" }]);
  });

  it("says that a question could not be read, and reads it again", async () => {
    await page.draw(<Inbox boot={boot()} />);
    await (await asks("i1")).fail();
    expect(page.root.textContent).toContain("This question could not be read.");
    page.button("Try again").click();
    await page.settle();
    await (await asks("i1")).reply(200, titled("i1", "First"));
    expect(drawn()).toBe("First");
  });

  // LG-contract-21
  it("shows a locked question no longer, and leads to where a password opens it", async () => {
    await page.draw(<Inbox boot={boot()} />);
    await (await asks("i1")).reply(200, titled("i1", "First"));
    TestSocket.all[0]!.onmessage!({ data: '{"type":"poke"}' });
    await (await asks("i1")).reply(401, { code: "LOCKED", message: "Type your password to go on." });
    expect(drawn()).toBeUndefined();
    const place = page.root.querySelector(".inbox-case")!;
    expect(place.textContent).toContain("Type your password to go on.");
    expect(place.querySelector("a")!.getAttribute("href")).toBe(`/sign-in?next=${encodeURIComponent("/?tab=mine&q=i1")}`);
  });

  // LG-contract-21
  it("says that a decision met the lock, and not that somebody is signed out", async () => {
    await page.draw(<Inbox boot={boot({ question: "o1", tab: "others", page: { rows: OTHERS, counts } })} />);
    await (await asks("o1")).reply(200, detailOf("o1"));
    for (let turn = 0; turn < 2; turn += 1) {
      page.button("Withdraw").click();
      await page.settle();
    }
    await (await page.wait("POST", /answer$/)).reply(401, { code: "LOCKED", message: "Locked." });
    expect(page.root.querySelector(".link-ended")!.textContent).toContain("Sign in again to go on.");
  });

  // LG-contract-21
  it("keeps an answer that is half typed until it is given", async () => {
    const asking = (state: "pending" | "answered"): QuestionDetail => ({
      ...detailOf("i2"),
      card: { type: "ask", id: "q:i2", run: "r1", question: "i2", digest: "d-i2", text: "Which order?", show: [], state, answer: null, by: null },
    });
    const box = () => page.root.querySelector("textarea");
    for (const [state, typed] of [["pending", "Half a"], ["pending", "Half a"], ["answered", undefined], ["pending", ""]] as const) {
      await page.draw(null);
      await page.draw(<Inbox boot={boot({ question: "i2" })} />);
      await (await asks("i2")).reply(200, asking(state));
      if (box() && !sessionStorage.length && typed) {
        box()!.value = typed;
        box()!.dispatchEvent(new InputEvent("input", { bubbles: true }));
        await page.settle();
      }
      expect(box()?.value).toBe(typed);
    }
  });

  it.each([
    [4401, "You are signed out."],
    [4403, "You may no longer see this inbox."],
  ])("says why the list is no longer kept current: %s", async (code, words) => {
    await page.draw(<Inbox boot={boot()} />);
    TestSocket.all[0]!.onclose!({ code });
    await page.settle();
    const strip = page.root.querySelector(".link-ended")!;
    expect(strip.textContent).toContain(words);
    expect(strip.querySelector("a")!.getAttribute("href")).toBe(`/sign-in?next=${encodeURIComponent("/?tab=mine&q=i1")}`);
  });

  it("tells an empty list from one that could not be read", async () => {
    await page.draw(<Inbox boot={boot({ question: null, page: { rows: [], counts } })} />);
    expect(page.root.textContent).toContain("Nothing waits for you");
    page.button("Decided").click();
    await page.settle();
    expect(page.root.textContent).not.toContain("Nothing decided yet");
    await (await page.wait("GET", /tab=decided/)).fail();
    expect(page.root.textContent).toContain("The list could not be read.");
    page.button("Try again").click();
    await page.settle();
    await (await page.wait("GET", /tab=decided/)).reply(200, { rows: [], counts });
    expect(page.root.textContent).toContain("Nothing decided yet");
  });

  it("has tabs over one panel: one stop, and arrows among them", async () => {
    await page.draw(<Inbox boot={boot()} />);
    const tabs = () => [...page.root.querySelectorAll<HTMLElement>('[role="tab"]')];
    const panel = page.root.querySelector('[role="tabpanel"]')!;
    expect(tabs().map((tab) => [tab.getAttribute("aria-controls"), tab.tabIndex])).toEqual([[panel.id, 0], [panel.id, -1], [panel.id, -1]]);
    expect(panel.getAttribute("aria-labelledby")).toBe(tabs()[0]!.id);
    tabs()[0]!.focus();
    await press("ArrowRight", tabs()[0]!);
    expect(document.activeElement).toBe(tabs()[1]);
    expect(tabs().map((tab) => tab.getAttribute("aria-selected"))).toEqual(["false", "true", "false"]);
    expect(panel.getAttribute("aria-labelledby")).toBe(tabs()[1]!.id);
    await page.wait("GET", /tab=others/);
  });

  it.each([
    ["ArrowRight", 2, false, 0],
    ["ArrowLeft", 0, false, 2],
    ["ArrowRight", 0, true, 2],
    ["ArrowLeft", 0, true, 1],
    ["Home", 2, false, 0],
    ["End", 0, true, 2],
    ["Enter", 1, false, null],
  ] as const)("%s from tab %i, right to left %s, leads to %s", (key, at, rtl, to) => expect(tabAfter(key, at, 3, rtl)).toBe(to));
});
