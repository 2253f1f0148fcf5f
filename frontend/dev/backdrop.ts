/** Stands in for the server: canned replies to the pages' requests, and a socket that plays a script. */

export type Reply = { status?: number; body: unknown };
export type Route = [method: string, path: RegExp, reply: (match: RegExpExecArray, body: unknown) => Reply | Promise<Reply>];
export type Play = (send: (message: unknown) => void) => void;

export const query = new URL(location.href).searchParams;
export const scene = query.get("scene") ?? "";

export function dress(): void {
  const theme = query.get("theme");
  if (theme) document.documentElement.dataset.theme = theme;
  const dir = query.get("dir");
  if (dir) document.documentElement.dir = dir;
}

export function setBoot(boot: unknown): void {
  const element = document.createElement("script");
  element.type = "application/json";
  element.id = "boot";
  element.textContent = JSON.stringify(boot);
  document.head.append(element);
}

export function serve(routes: Route[], play?: Play): void {
  const real = window.fetch.bind(window);
  window.fetch = async (input, init) => {
    const url = new URL(typeof input === "string" || input instanceof URL ? input : input.url, location.href);
    if (!url.pathname.startsWith("/api/")) return real(input, init);
    const method = init?.method ?? "GET";
    for (const [wanted, path, reply] of routes) {
      const match = wanted === method ? path.exec(url.pathname + url.search) : null;
      if (!match) continue;
      await new Promise((done) => setTimeout(done, 250));
      const { status = 200, body } = await reply(match, init?.body ? JSON.parse(String(init.body)) : undefined);
      return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
    }
    return new Response(JSON.stringify({ code: "NOT_FOUND", message: "The gallery has no reply for this." }), {
      status: 404,
      headers: { "content-type": "application/json" },
    });
  };
  class StandIn extends EventTarget {
    onopen: ((event: Event) => void) | null = null;
    onmessage: ((event: MessageEvent) => void) | null = null;
    onclose: ((event: CloseEvent) => void) | null = null;
    constructor(readonly url: string) {
      super();
      setTimeout(() => {
        if (scene === "reconnecting") return this.onclose?.(new CloseEvent("close", { code: 1006 }));
        if (scene === "signedout") return this.onclose?.(new CloseEvent("close", { code: 4401 }));
        this.onopen?.(new Event("open"));
        play?.((message) => this.onmessage?.(new MessageEvent("message", { data: JSON.stringify(message) })));
      }, 30);
    }
    close(): void {
      this.onmessage = null;
    }
  }
  (window as { WebSocket: unknown }).WebSocket = StandIn;
}
