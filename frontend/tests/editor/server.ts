import { vi } from "vitest";
import type { EditorBoot, EditReply, JsonObject, Layout } from "../../src/editor/store/wire";

export const FLOW: JsonObject = {
  version: "0.33",
  name: "Desk",
  inputs: ["question"],
  outputs: ["answer"],
  start: "reply",
  state: { question: { type: "string" }, answer: { type: "string" }, kind: { type: "string" } },
  nodes: [
    { id: "reply", type: "llm", prompt: "Answer {{question}}.", output: "answer" },
    { id: "check", type: "llm", description: "Looks once more.", prompt: "{{answer}} {{kind}}", output: "answer", approval: { ask: "Ok?", onReject: "reply" }, onError: "reply" },
  ],
  edges: [
    { from: "reply", type: "conditional", router: "by_kind", routes: { ok: "check", no: "END" }, when: { ok: "'kind' is \"ok\"", no: "anything else" } },
    { from: "check", to: "END" },
  ],
};

export const LAYOUT: Layout = { nodes: { reply: { x: 0, y: 0 }, check: { x: 300, y: 0 } }, comments: [] };

export function bootOf(more: Partial<EditorBoot> = {}): EditorBoot {
  return {
    id: "f1",
    name: "Desk",
    text: JSON.stringify(FLOW, null, 2),
    revision: 5,
    layout: LAYOUT,
    canEdit: true,
    canPublish: true,
    canRun: true,
    problems: [],
    units: [],
    undo: null,
    redo: null,
    asides: [],
    kept: 100,
    language: "/api/language",
    ...more,
  };
}

export function replyOf(revision: number, more: Partial<EditReply> = {}): EditReply {
  return { revision, changes: [], text: null, layout: null, name: "Desk", problems: [], units: [], undo: null, redo: null, asides: [], lines: [], renamed: null, ...more };
}

export interface Asked {
  method: string;
  path: string;
  body: JsonObject;
  reply: (status: number, body: unknown) => Promise<void>;
  fail: () => Promise<void>;
}

export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 6; turn += 1) await new Promise((done) => setTimeout(done, 0));
};

/** The network in a test's hands: requests wait in the list until the test answers them. */
export function network(): Asked[] {
  const asked: Asked[] = [];
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    return new Promise<Response>((done, refuse) => {
      asked.push({
        method: init.method ?? "GET",
        path,
        body: init.body ? JSON.parse(String(init.body)) : {},
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
  return asked;
}
