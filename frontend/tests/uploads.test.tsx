// @vitest-environment happy-dom
import { describe, expect, it, vi } from "vitest";
import { Form } from "../src/chat/cards/Form";
import { message, status } from "../dev/scenes/chat";
import { Chat } from "../src/chat/Chat";
import { ChatStore } from "../src/chat/store";
import type { FormItem, Item } from "../src/generated/frames";
import type { ChatBoot } from "../src/generated/wire";
import { FileSlot } from "../src/shared/FileBox";
import type { FileRef } from "../src/shared/files";
import { later } from "../src/shared/later";
import { usePage } from "./page";

const ID = "5d395d6e-0d70-4449-88dd-b07002dd065f";
const sent = vi.hoisted(() => ({ arrive: (_: FileRef) => undefined as void }));
vi.mock("../src/shared/upload", () => ({
  Stopped: class extends Error {},
  upload: () => ({ done: new Promise<FileRef>((resolve) => (sent.arrive = resolve)), stop: () => undefined }),
}));

const chosen = (root: ParentNode) => {
  const input = root.querySelector<HTMLInputElement>('input[type="file"]')!;
  Object.defineProperty(input, "files", { value: [new File(["x"], "bill.pdf", { type: "application/pdf" })] });
  input.dispatchEvent(new Event("change", { bubbles: true }));
};

describe("a file on its way", () => {
  const page = usePage();

  it("is waited for by the form that it is for", async () => {
    const decide = vi.fn(async () => null);
    const item: FormItem = {
      type: "form", id: "form:1", run: "r", question: "q", state: "pending", title: "Bill", why: "", digest: "d",
      fields: { bill: { type: "file", required: false } }, values: {}, answerShown: [], by: null,
    };
    await page.draw(<Form item={item} decide={decide} />);
    await vi.waitFor(() => expect(page.root.querySelector('input[type="file"]')).not.toBeNull());
    chosen(page.root);
    await page.settle();
    const press = async () => {
      page.root.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
      await page.settle();
    };
    await press();
    expect(decide).not.toHaveBeenCalled();
    expect(page.root.querySelector(".form-error")?.textContent).toContain("bill.pdf is still being sent");
    sent.arrive({ id: ID, name: "bill.pdf", mediaType: "application/pdf", bytes: 1 });
    await page.settle();
    expect(page.root.querySelector(".form-error")).toBeNull();
    await press();
    expect(decide).toHaveBeenCalledWith(expect.objectContaining({ values: { bill: expect.objectContaining({ id: ID }) } }), expect.anything());
  });

  it("is heard of by the page too when it is dropped on its place", async () => {
    const [choose, heard] = [vi.fn(), vi.fn()];
    // By it Preact knows the event's name.
    Object.defineProperty(HTMLElement.prototype, "ondrop", { value: null, configurable: true, writable: true });
    addEventListener("drop", heard);
    await page.draw(<FileSlot label="Bill" file={undefined} sending={undefined} onChoose={choose} onRemove={() => undefined} />);
    const drop = new Event("drop", { bubbles: true, cancelable: true });
    Object.assign(drop, { dataTransfer: { types: ["Files"], files: [new File(["x"], "bill.pdf")] } });
    page.root.querySelector(".slot")!.dispatchEvent(drop);
    removeEventListener("drop", heard);
    expect(choose).toHaveBeenCalledOnce();
    expect(heard).toHaveBeenCalledOnce();
  });

  it("goes with its own message and conversation, also while a turn works", async () => {
    const question: ChatBoot["agent"] = {
      slug: "desk", name: "Desk", description: "", suggestions: [], textInput: "question", inputs: { photo: { type: "file" } }, opensByItself: false, welcome: "", paused: null,
    };
    const items: Item[] = [message("r1", "Hello"), status("working", { run: "r1" })];
    const boot: ChatBoot = {
      agent: question, person: { name: "Dana", key: "d1", signedIn: true }, conversation: "c1", title: "", seq: 2, hide: [], pane: false, inboxUrl: null, lock: null,
      frames: items.map((item, at) => ({ seq: at + 1, op: "put", id: item.id, item })),
    };
    const store = new ChatStore(boot);
    store.start();
    await page.draw(<Chat store={store} />);
    await vi.waitFor(() => expect(page.root.querySelector('.attachments input[type="file"]')).not.toBeNull());
    chosen(page.root.querySelector(".attachments")!);
    await page.settle();
    expect(page.root.querySelector(".attachments progress")).not.toBeNull();
    const opened = store.open("c2");
    await (await page.wait("GET", /c2\/frames/)).reply(200, { frames: [], seq: 0 });
    await opened;
    sent.arrive({ id: ID, name: "bill.pdf", mediaType: "application/pdf", bytes: 1 });
    await page.settle();
    await vi.waitFor(() => expect(page.root.querySelector(".attachments")).not.toBeNull());
    expect(page.root.querySelector(".attachments")!.textContent).not.toContain("bill.pdf");
  });

  it("is left with a word where the agent takes none, and the page stays", async () => {
    const boot: ChatBoot = {
      agent: { slug: "desk", name: "Desk", description: "", suggestions: [], textInput: "question", inputs: {}, opensByItself: false, welcome: "", paused: null },
      person: { name: "Dana", key: "d1", signedIn: true }, conversation: null, title: "", seq: 0, hide: [], pane: false, inboxUrl: null, lock: null, frames: [],
    };
    const store = new ChatStore(boot);
    store.start();
    await page.draw(<Chat store={store} />);
    const bring = async (kind: string, types: string[]) => {
      const event = Object.assign(new Event(kind, { bubbles: true, cancelable: true }), { dataTransfer: { types, files: [new File(["x"], "bill.pdf")] } });
      page.root.querySelector("main")!.dispatchEvent(event);
      await page.settle();
      return event.defaultPrevented;
    };
    expect(await bring("dragover", ["Files"])).toBe(true);
    expect(page.root.querySelector(".chat-drop")!.textContent).toContain("This agent takes no files");
    expect(await bring("drop", ["Files"])).toBe(true);
    expect(page.root.querySelector(".chat-drop")).toBeNull();
    expect(page.root.querySelector(".composer-nudge")!.textContent).toContain("This agent takes no files");
    // Words that are dragged are no file.
    expect(await bring("drop", ["text/plain"])).toBe(false);
  });

  it("says so where the part of the page that takes it could not be fetched", async () => {
    const Part = later(() => Promise.reject<() => null>(new Error("gone")));
    await page.draw(<Part />);
    await vi.waitFor(() => expect(page.root.querySelector('[role="alert"]')?.textContent).toContain("could not be loaded"));
  });
});
