// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startLive } from "../src/pages/live";

class Request {
  static sent: Request[] = [];
  onload = (): void => undefined;
  onerror = (): void => undefined;
  responseType = "";
  status = 200;
  responseURL = location.href;
  responseXML: Document | null = null;
  open(): void {
    Request.sent.push(this);
  }
  send(): void {
    expect(this.responseType).toBe("document");
  }
  reply(html: string): void {
    this.responseXML = new DOMParser().parseFromString(html, "text/html");
    this.onload();
  }
}

const page = (live: string, words: string, more = ""): string =>
  `<div id="run"${live}><a href="?step=a">a</a><details><summary>Request</summary>x</details><p>${words}</p>${more}</div>`;
const LIVE = ' data-live="2"';
const shown = () => document.querySelector("#run p")!.textContent;
const later = () => vi.advanceTimersByTimeAsync(2000);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("XMLHttpRequest", Request);
  Request.sent = [];
  document.body.innerHTML = page(LIVE, "running");
  startLive();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("shows what is new, and keeps what was opened and where the focus is", async () => {
  document.querySelector("details")!.open = true;
  document.querySelector("a")!.focus();
  await later();
  Request.sent[0]!.reply(page(LIVE, "two steps", "<details><summary>Reply</summary>y</details>"));
  expect(shown()).toBe("two steps");
  expect([...document.querySelectorAll("details")].map((one) => one.open)).toEqual([true, false]);
  expect(document.activeElement?.getAttribute("href")).toBe("?step=a");
});

it("asks no more once nothing goes on", async () => {
  await later();
  Request.sent[0]!.reply(page("", "done"));
  expect(shown()).toBe("done");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(Request.sent).toHaveLength(1);
});

it("goes on after a failure, and waits while a dialog is open", async () => {
  await later();
  Request.sent[0]!.onerror();
  document.body.append(Object.assign(document.createElement("dialog"), { open: true }));
  await later();
  expect(Request.sent).toHaveLength(1);
  document.querySelector("dialog")!.remove();
  await later();
  expect(Request.sent).toHaveLength(2);
  Request.sent[1]!.status = 502;
  Request.sent[1]!.reply("<p>The web server is away</p>");
  expect(shown()).toBe("running");
});

// LG-contract-21
it.each(["/unlock?next=%2Fruns%2F1", "/sign-in?next=%2Fruns%2F1"])("shows nothing of it any more where the server leads away: %s", async (away) => {
  const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined);
  await later();
  Request.sent[0]!.responseURL = new URL(away, location.href).href;
  Request.sent[0]!.reply("<h1>Type your password to go on</h1>");
  expect(reload).toHaveBeenCalledOnce();
});

it("shows nothing of it any more where it may not", async () => {
  const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined);
  await later();
  Request.sent[0]!.status = 401;
  Request.sent[0]!.reply(page(LIVE, "secret"));
  expect(reload).toHaveBeenCalledOnce();
});
