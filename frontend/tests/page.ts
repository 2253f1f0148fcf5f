import { render, type ComponentChild } from "preact";
import { afterEach, beforeEach, vi } from "vitest";

/** What a test draws, in a document of its own. */
export interface Page {
  readonly root: HTMLElement;
  draw: (content: ComponentChild) => Promise<void>;
  /** Effects, timers of 0 ms and promises that wait are done. */
  settle: () => Promise<void>;
  button: (words: string | RegExp) => HTMLButtonElement;
}

/** A request that the page made and that a test replies to when it likes. */
export interface Asked {
  method: string;
  path: string;
  body: Record<string, unknown>;
  reply: (status: number, body: unknown) => Promise<void>;
  fail: () => Promise<void>;
}

const settle = async (): Promise<void> => {
  // Effects follow a frame and a timer of their own; a reply is read in several turns.
  for (let turn = 0; turn < 10; turn += 1) await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 2)));
};

/** Sockets that the page opened; a test ends them by code. */
export class TestSocket {
  static readonly all: TestSocket[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  constructor(readonly url: string) {
    TestSocket.all.push(this);
  }
  close(): void {}
}

/** A page on which network and sockets are the test's. Every closed root that is drawn can be read in `sealed`. */
export function usePage(): Page & { asked: Asked[]; sealed: ShadowRoot[]; wait: (method: string, path: RegExp) => Promise<Asked> } {
  const asked: Asked[] = [];
  const sealed: ShadowRoot[] = [];
  let root: HTMLElement;
  beforeEach(() => {
    asked.length = sealed.length = TestSocket.all.length = 0;
    sessionStorage.clear();
    history.replaceState(null, "", "/");
    root = document.createElement("div");
    document.body.replaceChildren(root);
    vi.stubGlobal("WebSocket", TestSocket);
    vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
      return new Promise<Response>((done, refuse) => {
        asked.push({
          method: init.method ?? "GET",
          path,
          body: init.body ? (JSON.parse(String(init.body)) as Record<string, unknown>) : {},
          reply: (status, body) => {
            done(new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } }));
            return settle();
          },
          fail: () => {
            refuse(new TypeError("offline"));
            return settle();
          },
        });
      });
    });
    const attach = Element.prototype.attachShadow;
    vi.spyOn(Element.prototype, "attachShadow").mockImplementation(function (this: Element, init) {
      const made = attach.call(this, { ...init, mode: "open" });
      sealed.push(made);
      return made;
    });
  });
  afterEach(() => {
    render(null, root);
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
  return {
    asked,
    sealed,
    get root() {
      return root;
    },
    settle,
    draw: (content) => {
      render(content, root);
      return settle();
    },
    button: (words) => {
      const all = [root, ...sealed.filter((one) => one.host.isConnected)].flatMap((place) => [...place.querySelectorAll("button")]);
      const says = (button: HTMLButtonElement) => (button.getAttribute("aria-label") ?? button.textContent ?? "").trim();
      const found = all.find((button) => (typeof words === "string" ? says(button) === words : words.test(says(button))));
      if (!found) throw new Error(`No button says ${words}: ${all.map(says).join(" | ")}`);
      return found;
    },
    wait: async (method, path) => {
      const find = () => asked.findIndex((one) => one.method === method && path.test(one.path));
      for (let turn = 0; turn < 20 && find() < 0; turn += 1) await settle();
      const at = find();
      if (at < 0) throw new Error(`Not asked: ${method} ${path}, but ${asked.map((one) => `${one.method} ${one.path}`).join(", ")}`);
      return asked.splice(at, 1)[0]!;
    },
  };
}
