// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Chat } from "../src/chat/Chat";
import { LockScreen } from "../src/chat/lock/LockScreen";
import { PresenceWatch } from "../src/chat/lock/presence";
import { ChatStore } from "../src/chat/store";
import type { ChatBoot, Lock } from "../src/generated/wire";
import { whenLocked } from "../src/shared/api";
import { TestSocket, usePage } from "./page";

const LOCK: Lock = { seconds: 1200, minutes: 20, email: "dana@example.test", password: true, signIn: null };

function boot(more: Partial<ChatBoot> = {}): ChatBoot {
  return {
    agent: { slug: "desk", name: "Order desk", description: "", suggestions: [], textInput: "question", inputs: {}, opensByItself: false, welcome: "", paused: null },
    person: { name: "Dana", key: "d1", signedIn: true },
    conversation: "c1", title: "For Dana only", frames: [], seq: 1, hide: [], pane: false, inboxUrl: null, lock: LOCK, ...more,
  };
}

describe("whether somebody is there", () => {
  const used = new Map<string, EventListener>();
  const calls: string[] = [];
  let reply: () => Promise<Response>;
  let locked: number;
  let watch: PresenceWatch;
  const left = (seconds: number, status = 200) => () =>
    Promise.resolve(new Response(JSON.stringify(status === 200 ? { seconds } : { code: "LOCKED", message: "Locked." }), { status, headers: { "content-type": "application/json" } }));
  const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

  beforeEach(() => {
    vi.useFakeTimers();
    calls.length = locked = 0;
    reply = left(1200);
    vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
      calls.push(`${init.method} ${path}`);
      return reply();
    });
    const listen = window.addEventListener.bind(window);
    vi.spyOn(window, "addEventListener").mockImplementation((kind: string, act: EventListenerOrEventListenerObject, how?: boolean | AddEventListenerOptions) => {
      if (typeof act === "function") used.set(kind, act);
      listen(kind, act, how);
    });
    watch = new PresenceWatch(LOCK, () => (locked += 1));
  });
  afterEach(() => {
    watch.stop();
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
  // No script can make a trusted event; the page is handed one.
  const press = (isTrusted = true) => used.get("keydown")!({ isTrusted } as Event);

  it("is said once a minute at most, and only by a person", async () => {
    press();
    await pass(61);
    press(false);
    expect(calls).toEqual([]);
    press();
    press();
    await pass(30);
    press();
    expect(calls).toEqual(["POST /api/presence"]);
    await pass(31);
    press();
    expect(calls).toHaveLength(2);
  });

  it("is asked before the time is over, since another page may be used", async () => {
    await pass(1184);
    expect(calls).toEqual([]);
    await pass(1);
    expect(calls).toEqual(["GET /api/presence"]);
    await pass(100);
    expect(locked).toBe(0);
    reply = left(0);
    await pass(1100);
    expect(locked).toBe(1);
  });

  it("is doubted when the server cannot be reached until the time is over", async () => {
    reply = () => Promise.reject(new TypeError("offline"));
    await pass(1199);
    expect(locked).toBe(0);
    await pass(1);
    expect(locked).toBe(1);
    await pass(5000);
    expect(locked).toBe(1);
  });

  it("is not proved by a key that is pressed too late", async () => {
    vi.setSystemTime(Date.now() + 1_300_000);
    press();
    expect([locked, calls]).toEqual([1, []]);
  });

  it("is looked at when a page that slept is seen again", () => {
    vi.setSystemTime(Date.now() + 1_300_000);
    document.dispatchEvent(new Event("visibilitychange"));
    expect(locked).toBe(1);
  });

  it("is looked at within seconds when the machine slept with the page in sight", async () => {
    await pass(60);
    vi.setSystemTime(Date.now() + 8 * 3_600_000);
    await pass(10);
    expect([locked, calls]).toEqual([1, []]);
  });

  it("ends where the server says that it ended", async () => {
    await pass(61);
    reply = left(0, 401);
    press();
    await pass(1);
    expect(locked).toBe(1);
  });
});

describe("a locked page", () => {
  const page = usePage();
  afterEach(() => whenLocked(() => undefined));

  it("is empty, and what comes afterwards finds no place", async () => {
    const store = new ChatStore(boot());
    store.start();
    await page.draw(<Chat store={store} />);
    const sending = store.send("Half a secret", {});
    await page.settle();
    expect(page.root.textContent).toContain("Half a secret");
    store.lock();
    expect([store.state.locked, store.state.outgoing, store.state.conversation, store.boot.title]).toEqual([true, [], null, ""]);
    await page.draw(<LockScreen agent={store.boot.agent} person={store.boot.person} lock={LOCK} onOpen={() => undefined} />);
    await (await page.wait("POST", /messages/)).fail();
    await sending;
    await store.open("c2");
    expect([store.state.items.size, store.state.outgoing, store.state.conversation]).toEqual([0, [], null]);
    expect(document.body.textContent).not.toContain("Half a secret");
    // It was kept for whoever it belongs to, as through a refresh.
    expect(sessionStorage.getItem("unsent:desk:d1:c1")).toContain("Half a secret");
  });

  it("locks when the server closes its socket for that, or refuses a request", async () => {
    const store = new ChatStore(boot());
    store.start();
    TestSocket.all.at(-1)!.onclose!({ code: 4423 });
    expect(store.state.locked).toBe(true);
    const other = new ChatStore(boot());
    whenLocked(() => other.lock());
    other.start();
    const stopped = other.send("Hello", {});
    await (await page.wait("POST", /messages/)).reply(401, { code: "LOCKED", message: "Locked." });
    await stopped;
    expect(other.state.locked).toBe(true);
  });

  // LG-contract-21
  it("comes by a refresh to a page that was opened before its agent knew its people", () => {
    const again = vi.spyOn(location, "reload").mockImplementation(() => undefined);
    const store = new ChatStore(boot({ lock: null }));
    store.start();
    TestSocket.all.at(-1)!.onclose!({ code: 4423 });
    expect([store.state.locked, again.mock.calls.length]).toEqual([true, 1]);
  });

  // LG-contract-21
  it("leads to the sign-in, and back here, where nobody is signed in any more", async () => {
    history.replaceState(null, "", "/a/desk?c=c7");
    const away = vi.spyOn(location, "assign").mockImplementation(() => undefined);
    await page.draw(<LockScreen agent={{ name: "Order desk" }} person={{ name: "Dana" }} lock={LOCK} onOpen={vi.fn()} />);
    await (await page.wait("GET", /presence/)).reply(401, { code: "SIGNED_OUT", message: "You are signed out." });
    expect(away.mock.calls).toEqual([["/sign-in?next=%2Fa%2Fdesk%3Fc%3Dc7"]]);
  });

  it("is the same when the page was opened locked", () => {
    const store = new ChatStore(boot({ conversation: null, lock: { ...LOCK, seconds: 0 } }));
    store.start();
    expect([store.state.locked, TestSocket.all.length]).toEqual([true, 0]);
  });

  it("says whose it is, and opens with their password alone", async () => {
    const opened = vi.fn();
    await page.draw(<LockScreen agent={{ name: "Order desk" }} person={{ name: "Dana" }} lock={LOCK} onOpen={opened} />);
    await (await page.wait("GET", /presence/)).reply(200, { seconds: 0 });
    expect(page.root.textContent).toContain("Dana");
    expect(page.root.textContent).toContain("dana@example.test");
    const box = page.root.querySelector<HTMLInputElement>("#lock-password")!;
    const go = async (typed: string) => {
      box.value = typed;
      page.button("Go on").click();
      await page.settle();
    };
    await go("");
    expect(page.root.querySelector("[role=alert]")?.textContent).toBe("Type your password.");
    await go("not it");
    await (await page.wait("POST", /unlock/)).reply(422, { code: "INVALID", message: "No.", fields: { password: "Not the password." } });
    expect(page.root.querySelector("[role=alert]")?.textContent).toBe("Not the password.");
    expect([box.value, opened.mock.calls.length]).toEqual(["", 0]);
    page.asked.length = 0;
    await go("it");
    const asked = await page.wait("POST", /unlock/);
    expect(asked.body).toEqual({ password: "it" });
    await asked.reply(200, { seconds: 1200 });
    expect(opened).toHaveBeenCalledOnce();
  });

  it("says what to do where there is no way to go on", async () => {
    const lock = { ...LOCK, password: false, signIn: null };
    await page.draw(<LockScreen agent={{ name: "Order desk" }} person={{ name: "Dana" }} lock={lock} onOpen={vi.fn()} />);
    expect(page.root.querySelector(".notice")?.textContent).toContain("Ask whoever runs this workspace how to sign in.");
  });

  it("opens when another page of the session was used, and leads back here through a provider", async () => {
    history.replaceState(null, "", "/a/desk?c=c7");
    const opened = vi.fn();
    const lock = { ...LOCK, password: false, signIn: { name: "Acme ID", href: "/sign-in/provider?next=%2Fa%2Fdesk" } };
    await page.draw(<LockScreen agent={{ name: "Order desk" }} person={{ name: "Dana" }} lock={lock} onOpen={opened} />);
    expect(page.root.querySelector("#lock-password")).toBeNull();
    const link = page.root.querySelector<HTMLAnchorElement>("a")!;
    expect([link.textContent, link.getAttribute("href")]).toEqual(["Go on with Acme ID", "/sign-in/provider?next=%2Fa%2Fdesk%3Fc%3Dc7"]);
    await (await page.wait("GET", /presence/)).reply(200, { seconds: 900 });
    expect(opened).toHaveBeenCalledOnce();
  });
});
