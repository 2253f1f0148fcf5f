import { dress, scene, serve, setBoot } from "./backdrop";
import { CHAT_SCENES, STREAMED } from "./scenes/chat";

dress();
const name = scene || "approval";
const items = CHAT_SCENES[name] ?? [];
const takesInputs = name === "inputs";
if (name === "unsent") {
  const words = ["Where is order 10952 now, and who signed for it?", "And please look up ALFAA too"];
  const unsent = words.map((text, at) => ({ key: `k${at}`, text, inputs: {}, values: [], run: null, failed: "" }));
  sessionStorage.setItem("unsent:order-desk:Dana:c1", JSON.stringify(unsent));
} else sessionStorage.clear();
const longAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
setBoot({
  agent: {
    slug: "order-desk",
    name: "Order desk",
    description: "Looks up, orders, and asks before it writes",
    suggestions: ["Where is ALFKI based?", "Add a new customer", "Show open orders"],
    textInput: "question",
    inputs: takesInputs ? { customerId: { type: "string", required: true, label: "Customer id" }, since: { type: "date", label: "Since" } } : {},
    opensByItself: false,
    welcome: "",
    paused: name === "paused" ? "Back on Monday: the warehouse takes stock." : null,
  },
  person: { name: "Dana", key: "d1", signedIn: true },
  conversation: items.length ? "c1" : null,
  title: "",
  frames: items.map((item, at) => ({ seq: at + 1, op: "put", id: item.id, item })),
  seq: items.length,
  hide: [],
  inboxUrl: null,
});

serve(
  [
    ["GET", /\/stream\?/, () => ({ body: { attempt: 1, text: "" } })],
    [
      "GET",
      /\/api\/a\/.*\/conversations$/,
      () => ({
        body: {
          conversations: [
            { id: "c1", title: "What did ALFKI order this month?", lastAt: longAgo(0.1), state: "waiting_you" },
            { id: "c2", title: "Refund order 10952", lastAt: longAgo(3), state: "waiting_others" },
            { id: "c3", title: "Show open orders of all customers in Germany, please", lastAt: longAgo(30), state: "idle" },
            { id: "c4", title: "", lastAt: longAgo(300), state: "idle" },
          ],
        },
      }),
    ],
    ["POST", /\/answer$/, () => (name === "form" ? { status: 422, body: { code: "INVALID", message: "Look at the marked fields.", fields: { customerId: "“Customer id” is needed.", "items[0].quantity": "“Quantity” must be a number.", since: "“Deliver after” is needed." } } } : { status: 409, body: { code: "QUESTION_DECIDED", message: "Rina L. approved this a moment ago.", state: "approved" } })],
    ["POST", /\/messages$/, () => name === "inputs" ? { status: 422, body: { code: "INPUTS_REFUSED", message: "Some of this does not fit yet.", fields: { customerId: "Fill in “Customer id”." } } } : ({ status: 503, body: { code: "BUSY", message: "The server is restarting." } })],
  ],
  (send) => {
    if (name !== "streaming") return;
    const letters = Array.from(STREAMED);
    let at = 0;
    const timer = setInterval(() => {
      const text = letters.slice(at, at + 9).join("");
      if (!text) return clearInterval(timer);
      send({ type: "delta", item: "out:r2:answer", attempt: 1, offset: at, text });
      at += 9;
    }, 60);
  },
);

await import("../src/chat/main");
