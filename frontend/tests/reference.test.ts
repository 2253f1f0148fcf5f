// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startReference } from "../src/pages/reference";

/** A request for a page, answered when the test does. */
class Request {
  static readonly sent = new Map<string, Request>();
  onload = (): void => undefined;
  onerror = (): void => undefined;
  responseURL = "";
  responseType = "";
  status = 200;
  responseXML: Document | null = null;
  open(_method: string, url: string): void {
    this.responseURL = `http://here${url}`;
    Request.sent.set(url, this);
  }
  send(): void {
    expect(this.responseType).toBe("document");
  }
}
const sent = vi.fn();

function page(): HTMLInputElement {
  document.body.innerHTML = `<form data-reference-search><input type="search" value=""><p role="status"></p></form>
    <article class="reference-text">the topic</article><nav class="reference-headings"></nav>`;
  HTMLFormElement.prototype.submit = sent;
  startReference();
  return document.querySelector("input")!;
}
const shown = () => document.querySelector(".reference-text")!.textContent;
const type = async (box: HTMLInputElement, words: string): Promise<void> => {
  box.value = words;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  await vi.advanceTimersByTimeAsync(200);
};
const reply = async (query: string, html: string | null): Promise<void> => {
  const request = Request.sent.get(`/reference?q=${query}`)!;
  if (html === null) request.status = 500;
  else request.responseXML = new DOMParser().parseFromString(html, "text/html");
  request.onload();
  await vi.advanceTimersByTimeAsync(0);
};
const found = (words: string) => `<section class="reference-text"><p class="lead">${words}</p></section>`;

describe("the reference's search", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("XMLHttpRequest", Request);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    sent.mockReset();
  });

  it("answers while one types, says how many there are, and gives the topic back", async () => {
    const box = page();
    await type(box, "retry");
    expect(shown()).toBe("the topic");
    await reply("retry", found("3 places"));
    expect(shown()).toBe("3 places");
    expect(document.querySelector("[role=status]")!.textContent).toBe("3 places");
    expect(document.querySelector<HTMLElement>(".reference-headings")!.hidden).toBe(true);
    await type(box, " ");
    expect(shown()).toBe("the topic");
    expect(document.querySelector<HTMLElement>(".reference-headings")!.hidden).toBe(false);
  });

  it("shows what was asked last, whatever comes last", async () => {
    const box = page();
    await type(box, "re");
    await type(box, "retry");
    await reply("retry", found("of retry"));
    await reply("re", found("of re"));
    expect(shown()).toBe("of retry");
  });

  it("is sent as a form when there is no answer to show", async () => {
    const box = page();
    await type(box, "retry");
    await reply("retry", null);
    expect(sent).toHaveBeenCalledOnce();
    expect(shown()).toBe("the topic");
  });

  it("is reached by one key, except where somebody types", () => {
    const box = page();
    const press = (on: EventTarget) =>
      on.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true, cancelable: true }));
    box.value = "retry";
    expect(press(document.body)).toBe(false);
    expect(document.activeElement).toBe(box);
    expect(press(box)).toBe(true);
  });
});
