import type { AnswerItem, ApprovalItem, AskItem, EndItem, FormItem, Item, MessageItem, OutcomeItem, StatusItem, StepsItem, WaitingItem } from "../../src/generated/frames";

const now = () => new Date().toISOString();
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

export const message = (run: string, text: string, more: Partial<MessageItem> = {}): MessageItem => ({
  type: "message", id: `msg:${run}`, run, text, values: [], by: "Dana", state: "sent", canRemove: false, at: now(), ...more,
});

export const steps = (run: string, titles: [string, StepsItem["steps"][number]["state"], number | null][], more: Partial<StepsItem> = {}): StepsItem => ({
  type: "steps", id: `steps:${run}`, run, demo: true,
  steps: titles.map(([title, state, ms], at) => ({ address: `${title.toLowerCase().replace(/\W+/g, "_")}#${at + 1}`, title, kind: "llm", state, ms })),
  ms: titles.reduce((sum, [, , ms]) => sum + (ms ?? 0), 0), ...more,
});

export const answer = (run: string, value: AnswerItem["value"], more: Partial<AnswerItem> = {}): AnswerItem => ({
  type: "answer", id: `out:${run}:answer`, run, channel: "answer", label: "Answer", value, streaming: false, attempt: 1, demo: false, ...more,
});

export const status = (state: StatusItem["state"], more: Partial<StatusItem> = {}): StatusItem => ({
  type: "status", id: "status", state, run: null, question: null, kind: null, ...more,
});

export const approval = (run: string, more: Partial<ApprovalItem> = {}): ApprovalItem => ({
  type: "approval", id: `q:${run}-q`, run, question: `${run}-q`, ask: "Place this order for Alfreds Futterkiste?",
  figures: [
    { label: "Customer", channel: "customer", value: "ALFKI", editable: false },
    { label: "Product", channel: "product", value: "Chai, 10 boxes × 20 bags", editable: false },
    { label: "Quantity", channel: "quantity", value: 2, editable: true },
    { label: "Total", channel: "total", value: "€ 36.00", editable: false },
  ],
  exhibits: [],
  why: "Asked for chai twice this year; the last delivery was complete; the amount is inside the budget.",
  does: { kind: "tool", tool: null, args: [] },
  edit: {
    fields: { quantity: { type: "number", label: "Quantity", required: true }, note: { type: "text", label: "Note on the parcel", description: "Printed on the label." } },
    values: { quantity: 2, note: "Ring twice.\nBack door." },
  },
  digest: `d-${run}`, state: "pending", decider: "starter", canDecide: true, canWithdraw: true, expiresAt: inHours(2.02), decidedBy: null, reason: null, ...more,
});

const TABLE = `Alfreds Futterkiste placed two orders in November:

| Date | Order | Items | Total |
| --- | --- | --- | --- |
| 3 Nov | 10835 | Raclette, Original sauce | 845.80 |
| 21 Nov | 10952 | Grandma's spread | 471.20 |
`;

const LONG = `## What I found

The customer **Alfreds Futterkiste** (\`ALFKI\`) is in *Berlin*. Both orders were delivered; see the [carrier's page](https://example.com/track/10952).

1. Raclette, 15 pieces
2. Original sauce, 2 bottles
   - one was broken, and replaced
   - the replacement arrived on 5 November
3. Grandma's spread

> Customers of this kind reorder after five weeks.

\`\`\`sql
SELECT order_id, total
FROM orders
WHERE customer_id = 'ALFKI' AND ordered >= '2026-11-01';
\`\`\`

<script>alert("stays text")</script> ![a picture](https://evil.example/x.png) [not a link](javascript:alert(1))

| Product | Unit price | Share |
| :-- | --: | --: |
| Raclette Courdavault | 55.00 | 64.1 % |
| Original Frankfurter | 13.00 | 35.9 % |
`;

const form = (run: string, more: Partial<FormItem> = {}): FormItem => ({
  type: "form", id: `q:${run}-q`, run, question: `${run}-q`, digest: `d-${run}`, title: "Where should we ship it?", why: "", state: "pending", answerShown: [], by: null, values: { city: "Berlin" },
  fields: {
    customerId: { type: "string", required: true, maxLength: 12, label: "Customer id", description: "Five characters, e.g. LABS5." },
    city: { type: "string", required: true },
    since: { type: "date", required: true, label: "Deliver after" },
    speed: { type: "string", options: ["Standard", "Express", "Pick-up"], label: "Speed", required: true },
    country: { type: "string", options: ["Austria", "Belgium", "France", "Germany", "Italy", "Poland", "Spain"], label: "Country" },
    items: { type: "list", required: true, label: "Products", of: { productId: { type: "number", required: true, label: "Product" }, quantity: { type: "number", required: true, label: "Quantity" }, discount: { type: "number", label: "Discount" } } },
    contacts: { type: "list", label: "People to tell" },
    address: { type: "text", label: "Address", description: "As it should stand on the label." },
    gift: { type: "boolean", label: "Wrap it as a gift" },
  },
  ...more,
});

const waiting = (run: string, more: Partial<WaitingItem> = {}): WaitingItem => ({
  type: "waiting", id: `q:${run}-q`, run, question: `${run}-q`, digest: `d-${run}`, ask: "Pay this refund of € 420.00 to M. Keller?", kind: "approval", state: "pending",
  forWhom: "a reviewer", expiresAt: inHours(3), canWithdraw: true, decidedBy: null, reason: null, ...more,
});

const outcome = (run: string, more: Partial<OutcomeItem> = {}): OutcomeItem => ({
  type: "outcome", id: `q:${run}-q`, run, question: `${run}-q`, digest: `d-${run}`, ask: "Did this order go through?", state: "pending", canDecide: true, decidedBy: null, answer: null, reason: null,
  figures: [
    { label: "Request", channel: "", value: "POST https://backoffice.example/orders", editable: false },
    { label: "Sent", channel: "", value: { customer: "ALFKI", lines: [{ product: "Chai", quantity: 2 }] }, editable: false },
  ],
  ...more,
});

const ask = (run: string, more: Partial<AskItem> = {}): AskItem => ({
  type: "ask", id: `q:${run}-q`, run, question: `${run}-q`, digest: `d-${run}`, state: "pending", answer: null, by: null, show: [],
  text: "Several customers have that name. Which one?\n\n| Id | Name | City |\n| --- | --- | --- |\n| ALFKI | Alfreds Futterkiste | Berlin |\n| ALFAA | Alfa Aperitivi | Torino |\n", ...more,
});

const end = (run: string, more: Partial<EndItem> = {}): EndItem => ({
  type: "end", id: `end:${run}`, run, state: "failed", code: "MODEL_NOT_SET", message: "No model is set, so “Write the answer” could not run. Choose one under Settings → Models, then try again.", canRetry: true, ...more,
});

const first: Item[] = [
  message("r1", "What did ALFKI order this month? Then add two cases of chai."),
  steps("r1", [["understood", "done", 620], ["looked up 2 orders", "done", 1240]]),
  answer("r1", TABLE),
];

export const SHAPES = {
  customer_id: "ALFKI", active: true, since: "2025-11-03", note: null, tags: ["vip", "berlin", "net-30"],
  openOrders: [{ order_id: 10835, placed: "2026-11-03", items: "Raclette", total: 845.8 }, { order_id: 10952, placed: "2026-11-21", items: "Grandma's spread", total: 471.2 }],
  "All customers from the UK": ["Around the Horn, a long established delicatessen in London", "B's Beverages, Fauntleroy Circus, also in London"],
  address: { street: "Obere Str. 57", city: "Berlin", geo: { lat: 52.52, lon: 13.405 } },
  remark: "The first line.\nThe second line, and it is rather long so that it takes a block of its own below its label.",
};

export const CHAT_SCENES: Record<string, Item[]> = {
  approval: [...first, approval("r1"), status("waiting_you", { run: "r1", question: "r1-q", kind: "approval" })],
  welcome: [],
  streaming: [...first, message("r2", "Tell me more about them"), steps("r2", [["understood", "done", 410], ["writing the answer", "running", null]]), answer("r2", "", { streaming: true, demo: true }), status("working", { run: "r2" })],
  working: [...first, message("r2", "And the refunds?"), status("working", { run: "r2" }), message("r3", "Also check BERGS, please", { state: "queued", canRemove: true })],
  markdown: [message("r1", "Everything you know, please"), steps("r1", [["understood", "done", 300], ["looked it up", "done", 900], ["asked the database", "done", 1200], ["wrote it", "done", 2400]]), answer("r1", LONG, { demo: true }), status("idle")],
  shapes: [message("r1", "The whole record", { values: [{ label: "Customer id", value: "ALFKI" }, { label: "Since", value: "2026-11-01" }] }), steps("r1", [["looked it up", "done", 300]]), answer("r1", SHAPES), status("idle")],
  ask: [message("r1", "What did Alf order?"), steps("r1", [["understood", "done", 300], ["asked which one", "waiting", null]]), ask("r1"), status("waiting_you", { run: "r1", question: "r1-q", kind: "ask" })],
  asked: [message("r1", "What did Alf order?"), ask("r1", { state: "answered", answer: "The one in Berlin" }), steps("r1", [["understood", "done", 300]]), answer("r1", TABLE), status("idle")],
  form: [message("r1", "Ship it"), steps("r1", [["understood", "done", 300], ["needs details", "waiting", null]]), form("r1"), status("waiting_you", { run: "r1", question: "r1-q", kind: "form" })],
  forms: [
    message("r1", "Ship it"), form("r1", { state: "answered", answerShown: [{ label: "Customer id", value: "ALFKI" }, { label: "Products", value: [{ Product: 11, Quantity: 2 }] }] }), answer("r1", "It ships tomorrow."),
    message("r2", "Again"), form("r2", { state: "closed" }), answer("r2", "Then it stays here."), status("idle"),
  ],
  sent: [
    ...first,
    approval("r1", {
      ask: "Write this order in the Northwind database?", does: { kind: "tool", tool: "orders.create", args: [{ label: "Customer id", value: "ALFKI" }, { label: "Lines", value: [{ product: "Chai", quantity: 2, price: 18 }, { product: "Chang", quantity: 12, price: 19 }] }] },
      figures: [{ label: "Recipient", channel: "to", value: "Alfreds F\u202eutterkiste (\u0430lfreds)", editable: false }, { label: "Text", channel: "text", value: Array.from({ length: 30 }, (_, n) => `Line ${n + 1} of the letter that is sent.`).join("\n"), editable: false }],
      why: "Looked the customer up\nFound two open orders\nThe budget holds", edit: null,
    }),
    status("waiting_you", { run: "r1", question: "r1-q", kind: "approval" }),
  ],
  decided: [
    message("r1", "Order chai"), approval("r1", { state: "approved", canDecide: false, decidedBy: "Rina L." }), answer("r1", "Order 11078 is placed."),
    message("r2", "And chang"), approval("r2", { state: "declined", canDecide: false, decidedBy: "Rina L.", reason: "The budget is used up." }), answer("r2", "I did not place it: it was declined because the budget is used up."),
    message("r3", "And tofu"), approval("r3", { state: "expired", canDecide: false, why: null }), status("idle"),
  ],
  waiting: [message("r1", "Refund order 10952"), steps("r1", [["understood", "done", 300], ["waits for approval", "waiting", null]]), waiting("r1"), status("waiting_others", { run: "r1", question: "r1-q", kind: "approval" })],
  outcome: [message("r1", "Order chai"), steps("r1", [["placed the order", "waiting", null]]), outcome("r1"), status("waiting_you", { run: "r1", question: "r1-q", kind: "outcome" })],
  error: [message("r1", "Order chai"), steps("r1", [["understood", "done", 300], ["wrote the answer", "failed", 80]]), end("r1"), message("r2", "Then stop"), end("r2", { state: "cancelled", message: "Dana stopped this.", code: "" }), message("r3", "Hello?"), end("r3", { state: "lost", code: "RUN_LOST", message: "The worker stopped five times in the same place, so this was set aside. Nothing was done twice." }), status("idle")],
  reconnecting: [...first, status("idle")],
  signedout: [...first, status("idle")],
  unsent: [...first, status("idle")],
  json: [
    message("r1", "Order it"),
    approval("r1", { figures: [{ label: "Order", channel: "order", value: '{"amount": 1, "amount": 9007199254740993}' }, { label: "Body", channel: "body", value: JSON.stringify({ customer: "ALFKI", lines: Array.from({ length: 14 }, (_, at) => ({ product: at, quantity: 2 })) }, null, 2) }], edit: null, expiresAt: null }),
    status("waiting_you", { run: "r1", question: "r1-q", kind: "approval" }),
  ],
  long: [
    message("r1", `Please look at ${"https://shop.example/" + "a-very-long-path/".repeat(12)} and at ${"Donaudampfschifffahrtsgesellschaftskapitänsmütze".repeat(5)}`, { values: [{ label: "A label that is rather long for what it names", value: "x".repeat(120) }] }),
    steps("r1", [["A step whose title goes on for much longer than the line that it has to itself on a telephone", "done", 300], ["looked at everything there is", "done", 900]]),
    answer("r1", `| ${"Wide".repeat(12)} | B | C |\n| --- | --- | --- |\n| ${"w".repeat(90)} | 1 | ${"long words ".repeat(20)} |\n\n${"Unbroken".repeat(60)}`),
    message("r2", "And then?"),
    approval("r2", { ask: `Send the letter that begins with “${"Sehr geehrte Damen und Herren ".repeat(6)}”?`, figures: [{ label: "A label that is rather long for what it names, and then some more", channel: "a", value: "DE89 3704 0044 0532 0130 00 ".repeat(2) }, { label: "To", channel: "to", value: `${"verylongaddress".repeat(8)}@example.com` }, { label: "Rows", channel: "rows", value: [{ product: "w".repeat(60), quantity: 2, note: "a note ".repeat(12) }] }] }),
    status("waiting_you", { run: "r2", question: "r2-q", kind: "approval" }),
  ],
  inputs: [],
  paused: [...first, status("idle")],
  rtl: [message("r1", "מה הזמין ALFKI החודש?"), steps("r1", [["הבנתי", "done", 620], ["חיפשתי 2 הזמנות", "done", 1240]]), answer("r1", "הלקוח **Alfreds Futterkiste** הזמין פעמיים:\n\n| תאריך | הזמנה | סכום |\n| --- | --- | --- |\n| 3 בנוב׳ | 10835 | 845.80 |\n| 21 בנוב׳ | 10952 | 471.20 |\n"), approval("r1", { ask: "לבצע את ההזמנה עבור Alfreds Futterkiste?", why: "ביקש תה פעמיים השנה; המשלוח האחרון היה שלם." }), status("waiting_you", { run: "r1", question: "r1-q", kind: "approval" })],
};

export const STREAMED = LONG;
