// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { Chat } from "../src/chat/Chat";
import { inputsOf } from "../src/chat/inputs";
import { ChatStore } from "../src/chat/store";
import type { Item, MessageItem } from "../src/generated/frames";
import type { ChatBoot } from "../src/generated/wire";
import { asFields } from "../src/shared/fields";
import { approval, message, status } from "../dev/scenes/chat";
import { TestSocket, usePage } from "./page";

const INPUTS = { since: { type: "date", label: "Day" }, until: { type: "date", label: "Day" }, customer: { type: "string", label: "Customer" } };

function boot(items: Item[] = [], more: Partial<ChatBoot> = {}, inputs: ChatBoot["agent"]["inputs"] = {}): ChatBoot {
  return {
    agent: { slug: "desk", name: "Order desk", description: "", suggestions: [], textInput: "question", inputs, opensByItself: false, welcome: "", paused: null },
    person: { name: "Dana", key: "d1", signedIn: true },
    conversation: items.length ? "c1" : null,
    title: "",
    frames: items.map((item, at) => ({ seq: at + 1, op: "put", id: item.id, item })),
    seq: items.length,
    hide: [],
    pane: false,
    inboxUrl: null,
    lock: null,
    ...more,
  };
}

describe("the chat page", () => {
  const page = usePage();
  const box = () => page.root.querySelector<HTMLTextAreaElement>(".composer-box")!;
  const log = () => page.root.querySelector(".chat-log")!.textContent ?? "";
  const nudges = () => [...page.root.querySelectorAll(".composer-nudge")].map((one) => one.textContent);
  const type = async (text: string) => {
    box().value = text;
    box().dispatchEvent(new Event("input", { bubbles: true }));
    await page.settle();
  };
  const send = async (text: string) => {
    await type(text);
    page.root.querySelector("form.composer")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    await page.settle();
  };
  /** The page as a refresh finds it: the tab's store is all that is left. */
  const load = async (carried: ChatBoot) => {
    const store = new ChatStore(carried);
    store.start();
    await page.draw(<Chat key={Math.random()} store={store} />);
    return store;
  };
  const messages = () => page.wait("POST", /\/messages$/);

  it("keeps a message that could not be sent through a refresh, and sends it again as the same message", async () => {
    await load(boot());
    await send("Where is ALFKI?");
    const first = await messages();
    await first.fail();
    await load(boot());
    expect(log()).toContain("Where is ALFKI?");
    expect(log()).toContain("Not sent.");
    expect(box().value).toBe("");
    page.button("Try again").click();
    await page.settle();
    const again = await messages();
    expect(again.body).toEqual(first.body);
    await again.reply(202, { conversation: "c1", run: "r1", queued: false });
    await load(boot());
    expect(log()).not.toContain("ALFKI");
  });

  it("sends what was on its way when the page was refreshed once more, with the same key", async () => {
    await load(boot([message("r0", "Hello")]));
    await send("Where is ALFKI?");
    const first = await messages();
    await load(boot([message("r0", "Hello")]));
    const again = await messages();
    expect(again.body).toEqual(first.body);
    await again.reply(202, { conversation: "c1", run: "r1", queued: true });
    await load(boot([message("r0", "Hello"), message("r1", "Where is ALFKI?")]));
    expect(log().match(/ALFKI/g)).toHaveLength(1);
  });

  it("says that its connection ended, although that came with the first drawing", async () => {
    const store = new ChatStore(boot([message("r0", "Hello")]));
    store.start();
    const drawn = page.draw(<Chat store={store} />);
    TestSocket.all.at(-1)!.onclose!({ code: 4401 });
    await drawn;
    expect(page.root.querySelector(".link-ended")?.textContent).toContain("You are signed out.");
  });

  it("does not show one person's unsent words to the next one, whatever they are called", async () => {
    await load(boot());
    await send("For Dana only");
    await (await messages()).fail();
    await load(boot([], { person: { name: "Dana", key: "d2", signedIn: true } }));
    expect(log()).not.toContain("For Dana only");
  });

  it("puts a second message into the conversation that the first one opens", async () => {
    await load(boot());
    await send("One");
    const first = await messages();
    await send("Two");
    expect(page.asked.filter(({ path }) => path.endsWith("/messages"))).toEqual([]);
    await first.reply(202, { conversation: "c9", run: "r1", queued: false });
    const second = await messages();
    expect(second.body).toMatchObject({ conversation: "c9", text: "Two" });
    await second.reply(202, { conversation: "c9", run: "r2", queued: true });
    expect(log()).toContain("One");
    expect(log()).toContain("Two");
    expect(Object.keys(sessionStorage).filter((key) => key.startsWith("unsent"))).toEqual([]);
  });

  // LG-forms-11
  it("puts what the server refuses back into the composer, with what is wrong beside it", async () => {
    await load(boot([], {}, INPUTS));
    await send("Orders");
    const body = { code: "INPUTS_REFUSED", message: "Some of this does not fit yet.", fields: { "inputs.customer": "Fill in “Customer”." } };
    await (await messages()).reply(422, body);
    expect(box().value).toBe("Orders");
    expect(nudges()).toEqual([body.message]);
    expect(page.root.querySelector(".composer-inputs .error")?.textContent).toBe("Fill in “Customer”.");
    expect(page.root.querySelector(".unsent")).toBeNull();
  });

  it("does not lose a message that is refused when it is tried again", async () => {
    const end: Item = { type: "end", id: "end:r1", run: "r1", state: "failed", code: "X", message: "It broke.", canRetry: true };
    await load(boot([message("r1", "Pay 1000000"), end]));
    page.button("Try again").click();
    await page.settle();
    await (await messages()).reply(422, { code: "TEXT", message: "That is too much." });
    expect(box().value).toBe("Pay 1000000");
    expect(nudges()).toEqual(["That is too much."]);

    await send("Pay 1000");
    const failed = await messages();
    await failed.fail();
    page.button("Try again").click();
    await page.settle();
    await type("Another thought");
    await (await messages()).reply(400, { code: "TEXT", message: "Still too much." });
    expect(box().value).toBe("Another thought");
    expect(log()).toContain("Pay 1000");
    expect(log()).toContain("Not sent. Still too much.");
    page.button("Edit").click();
    await page.settle();
    expect(box().value).toBe("Pay 1000\nAnother thought");
  });

  // LG-approval-08: whether a typed word is a yes, the server says.
  it("asks before it declines with what was typed", async () => {
    await load(boot([message("r1", "Order"), approval("r1"), status("waiting_you", { run: "r1", question: "r1-q", kind: "approval" })]));
    await send("evet");
    const said = await page.wait("POST", /answer$/);
    expect(said.body).toMatchObject({ decision: "answer", text: "evet", digest: "d-r1" });
    await said.reply(422, { code: "DECLINE_UNCONFIRMED", message: "Only yes approves this. Decline it instead?" });
    expect(nudges()[0]).toContain("Decline with these words?");
    page.root.querySelector<HTMLButtonElement>(".composer-decline .btn-danger")!.click();
    await page.settle();
    expect((await page.wait("POST", /answer$/)).body).toMatchObject({ decision: "decline", text: "evet" });
  });

  it("takes no typed yes for a card whose long values were not opened", async () => {
    const unread = approval("r1", { figures: [{ label: "Letter", channel: "letter", value: "All of it matters. ".repeat(60) }] });
    await load(boot([message("r1", "Order"), unread, status("waiting_you", { run: "r1", question: "r1-q", kind: "approval" })]));
    await send("yes");
    expect(page.asked.filter(({ path }) => path.endsWith("/answer"))).toEqual([]);
    expect(nudges()[0]).toBe("Open the long values to approve.");
  });
});

describe("the inputs of a message sent again", () => {
  const of = (values: MessageItem["values"]) => inputsOf(message("r1", "", { values }), asFields(INPUTS));
  it("are found by their channel", () => {
    expect(of([{ label: "Day", value: "2026-11-02", channel: "until" }, { label: "Customer", value: "A", channel: "gone" }] as never)).toEqual({ until: "2026-11-02" });
  });
  it("are guessed by a label only where one input has it", () => {
    expect(of([{ label: "Day", value: "2026-11-01" }, { label: "Customer", value: "ALFKI" }])).toEqual({ customer: "ALFKI" });
  });
});
