import "../src/styles/base.css";
import { dress, scene, serve, setBoot } from "./backdrop";
import { DECIDED, detailOf, LONG, MINE, OTHERS } from "./scenes/inbox";

dress();
/** The frame of a signed-in page, as the server prints it. */
const shell = document.createElement("div");
shell.className = "app app-fixed";
const bar = document.createElement("header");
bar.className = "bar";
const brand = document.createElement("a");
brand.className = "bar-brand";
const logo = document.createElement("span");
logo.className = "logo";
brand.append(logo, "LGStudio");
bar.append(brand);
const side = document.createElement("nav");
side.className = "side";
side.id = "side";
for (const [name, here] of [["Flows", false], ["Agents", false], ["Inbox", true]] as const) {
  const link = document.createElement("a");
  link.className = "side-link";
  link.textContent = name;
  if (here) link.setAttribute("aria-current", "page");
  side.append(link);
}
const main = document.createElement("main");
main.className = "page page-full";
main.append(document.getElementById("app")!);
shell.append(bar, side, main);
document.body.prepend(shell);

const tab = scene === "others" || scene === "decided" ? scene : "mine";
if (scene === "long") MINE.push(LONG);
const lists = scene === "empty" ? { mine: [], others: [], decided: [] } : { mine: MINE, others: OTHERS, decided: DECIDED };
const counts = { mine: lists.mine.length, others: lists.others.length, decided: lists.decided.length };
setBoot({ tab, page: { rows: lists[tab], counts }, question: scene === "outcome" ? "i3" : scene === "form" ? "i5" : scene === "long" ? "i6" : scene === "phone" ? "i1" : null, workspace: "Northwind" });
serve([
  ["GET", /\/api\/inbox\?tab=(\w+)/, (match) => scene === "failed" ? { status: 503, body: { message: "The server is restarting." } } : ({ body: { rows: lists[match[1] as "mine"], counts } })],
  ["GET", /\/api\/questions\/(\w+)$/, (match) => scene === "failed" ? { status: 503, body: { message: "The server is restarting." } } : ({ body: detailOf(match[1]!) })],
  ["POST", /\/answer$/, () => ({ status: 409, body: { code: "QUESTION_DECIDED", message: "Rina L. approved this a moment ago.", state: "approved" } })],
]);
await import("../src/inbox/main");
