import { dress, scene, serve, setBoot } from "./backdrop";
import { detailOf } from "./scenes/inbox";

dress();
const question = { outcome: "i3", form: "i5", closed: "d2", long: "i6", waiting: "o1" }[scene] ?? "i1";
setBoot({ detail: detailOf(question), inboxUrl: "/inbox" });
serve([["GET", /\/api\/questions\/(\w+)$/, (match) => ({ body: detailOf(match[1]!) })]]);
await import("../src/inbox/decide");
