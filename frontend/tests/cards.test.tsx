// @vitest-environment happy-dom
import { describe, expect, it, vi } from "vitest";
import { countLong, Figures } from "../src/chat/cards/Figures";
import type { Json } from "../src/generated/frames";
import { Approval } from "../src/chat/cards/Approval";
import { approval } from "../dev/scenes/chat";
import { usePage } from "./page";

const figure = (label: string, value: Json) => ({ label, channel: label, value });
const LONG = "Every word of this counts. ".repeat(40);

// LG-approval-04, LG-approval-22: what a card shows is what is sent, to the letter.
describe("a card that decides", () => {
  const page = usePage();

  it("shows JSON that stands in a text as that text, every key and digit of it", async () => {
    const text = '{"amount": 1, "amount": 9007199254740993}';
    await page.draw(<Figures figures={[figure("Order", text)]} />);
    expect(page.root.textContent).toContain(text);
  });

  it("waits until every folded text was opened, however often one of them is", async () => {
    const onRead = vi.fn();
    await page.draw(<Figures figures={[figure("First", LONG), figure("Second", `${LONG}.`)]} onRead={onRead} />);
    const folds = () => [...page.root.querySelectorAll<HTMLButtonElement>(".fold-button")];
    for (let times = 0; times < 3; times += 1) {
      folds()[0]!.click();
      await page.settle();
    }
    expect(onRead).not.toHaveBeenCalled();
    folds()[1]!.click();
    await page.settle();
    expect(onRead).toHaveBeenCalledOnce();
  });

  // LG-contract-21
  it("keeps what was changed on it through a refresh, for this very card", async () => {
    const card = approval("r1", { digest: "d-1", edit: { fields: { quantity: { type: "string", label: "Quantity" } }, values: { quantity: "2" } } });
    const drawn = async (digest: string) => {
      await page.draw(null);
      await page.draw(<Approval item={{ ...card, digest }} decide={async () => null} />);
      return page.sealed.at(-1)!.querySelector<HTMLInputElement>(".edit input");
    };
    expect(await drawn("d-1")).toBeNull();
    page.button("Edit").click();
    await page.settle();
    const box = page.sealed.at(-1)!.querySelector<HTMLInputElement>(".edit input")!;
    box.value = "12";
    box.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
    await page.settle();
    // Whoever signs in after them in this tab decides on the card as it came.
    document.documentElement.dataset.person = "noa";
    expect(await drawn("d-1")).toBeNull();
    delete document.documentElement.dataset.person;
    expect((await drawn("d-1"))?.value).toBe("12");
    expect(await drawn("d-2")).toBeNull();
    expect(sessionStorage.length).toBe(0);
  });

  it("counts the texts that it draws, and no others", async () => {
    const nested = (depth: number): Json => (depth ? { in: nested(depth - 1) } : LONG);
    for (const value of [LONG, JSON.stringify({ a: LONG, b: LONG }), { a: LONG, b: [{ c: LONG }] }, [LONG, "x"], [`${LONG}\n`, { a: LONG }], nested(9), nested(20)]) {
      await page.draw(<Figures key={JSON.stringify(value)} figures={[figure("Value", value)]} />);
      expect(page.root.querySelectorAll(".fold-button").length).toBe(countLong(value));
    }
  });
});
