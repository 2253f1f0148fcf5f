import type { InboxRow, QuestionDetail } from "../../src/generated/wire";
import { approval } from "./chat";

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

const row = (question: string, title: string, more: Partial<InboxRow> = {}): InboxRow => ({
  question, kind: "approval", title, agent: "Refund desk", summary: "", state: "pending", by: "M. Keller", askedAt: ago(4), expiresAt: null, decidedBy: null, decidedAt: null, ...more,
});

export const MINE: InboxRow[] = [
  row("i1", "Pay this refund?", { summary: "€ 420.00" }),
  row("i2", "Place this order?", { agent: "Order desk", summary: "€ 36.00 · ALFKI", by: "Dana", askedAt: ago(12) }),
  row("i3", "Did this payment happen?", { kind: "outcome", summary: "the worker stopped during the call", by: "", askedAt: ago(31) }),
  row("i4", "Send the offer to 3 customers?", { agent: "Sales desk", summary: "3 messages", by: "Ola", askedAt: ago(121), expiresAt: ahead(20.5) }),
  row("i5", "Where should we ship it?", { kind: "form", agent: "Order desk", by: "Dana", askedAt: ago(180) }),
];
export const LONG: InboxRow = row("i6", `Send the letter that begins with “${"Sehr geehrte Damen und Herren ".repeat(5)}”?`, { agent: "The desk of refunds, returns and everything that is sent back", summary: `${"verylongaddress".repeat(6)}@example.com`, by: "Prof. Dr. Wilhelmina Maximiliane von und zu Hohenstaufen-Wittelsbach", askedAt: ago(20), expiresAt: ahead(40) });
export const OTHERS: InboxRow[] = [row("o1", "Pay this refund of € 80.00?", { by: "You" }), row("o2", "Publish the price list?", { agent: "Sales desk", askedAt: ago(50) })];
export const DECIDED: InboxRow[] = [
  row("d1", "Pay this refund?", { state: "approved", summary: "€ 75.00", decidedBy: "Rina L.", decidedAt: ago(70) }),
  row("d2", "Place this order?", { agent: "Order desk", state: "declined", decidedBy: "You", decidedAt: ago(700) }),
  row("d3", "Send the reminder?", { agent: "Sales desk", state: "expired", decidedAt: ago(3000) }),
];

const far = [
  { at: ago(7), text: "refund asked" },
  { at: ago(7), text: "order and return found" },
  { at: ago(6), text: "statement read" },
  { at: ago(4), text: "your decision is needed" },
];

export function detailOf(question: string): QuestionDetail {
  const found = [...MINE, ...OTHERS, ...DECIDED, LONG].find((one) => one.question === question) ?? MINE[0]!;
  const base = { row: found, run: "8f14c2d0-0000-4000-8000-000000000000", node: "pay/approve", slug: "refund-desk", conversation: question === "i2" ? "c1" : null, soFar: far };
  const refund = approval("r1", {
    ask: found.title,
    figures: [
      { label: "Amount", channel: "amount", value: "€ 420.00", editable: true },
      { label: "To", channel: "iban", value: "DE89 3704 0044 0532 0130 00", editable: false },
      { label: "Reference", channel: "ref", value: "Order 10952", editable: false },
    ],
    exhibits: [
      { label: "Invoice", channel: "invoice", id: "11111111-1111-4111-8111-111111111111", name: "invoice-10952.pdf", mediaType: "application/pdf", bytes: 84_500, sha256: "9f".repeat(32), opens: true, lost: false },
      { label: "Photo of the parcel", channel: "photo", id: "22222222-2222-4222-8222-222222222222", name: "parcel.png", mediaType: "image/png", bytes: 1_240_000, sha256: "3c".repeat(32), opens: true, lost: false },
      { label: "Bank statement", channel: "statement", id: "33333333-3333-4333-8333-333333333333", name: "november.pdf", mediaType: "application/pdf", bytes: 20_100, sha256: "b7".repeat(32), opens: false, lost: false },
    ],
    does: { kind: "tool", tool: "payments.refund", args: [{ label: "Amount", value: "€ 420.00" }] },
    why: "The parcel was returned on 18 November and checked in complete. The bank statement shows the original payment of € 420.00.",
    digest: `d-${question}`, question, expiresAt: found.expiresAt, state: found.state, decidedBy: found.decidedBy, canDecide: found.state === "pending",
    reason: question === "d2" ? "The customer cancelled by phone." : null,
  });
  if (found.kind === "outcome")
    return { ...base, card: { type: "outcome", id: `q:${question}`, run: "r1", question, digest: `d-${question}`, ask: found.title, state: "pending", canDecide: true, decidedBy: null, answer: null, reason: null, figures: [{ label: "Request", channel: "", value: "POST https://bank.example/refunds", editable: false }, { label: "Amount", channel: "", value: "€ 420.00", editable: false }] } };
  if (found.kind === "form")
    return { ...base, card: { type: "form", id: `q:${question}`, run: "r1", question, digest: `d-${question}`, title: found.title, why: "", state: "pending", answerShown: [], by: null, values: {}, fields: { street: { type: "string", required: true }, city: { type: "string", required: true }, express: { type: "boolean" } } } };
  if (question.startsWith("o"))
    return { ...base, card: { type: "waiting", id: `q:${question}`, run: "r1", question, digest: `d-${question}`, ask: found.title, kind: "approval", state: "pending", forWhom: "a reviewer", expiresAt: null, canWithdraw: true, decidedBy: null, reason: null } };
  return { ...base, card: refund };
}
