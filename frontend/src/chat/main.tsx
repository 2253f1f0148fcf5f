import { render } from "preact";
import "../styles/fonts.css";
import "../styles/base.css";
import "../styles/value.css";
import "../styles/chat.css";
import { mountPoint, readBoot } from "../shared/boot";
import type { ChatBoot } from "../generated/wire";
import { Chat } from "./Chat";
import { ChatStore } from "./store";

const store = new ChatStore(readBoot<ChatBoot>());
const place = mountPoint();
place.replaceChildren();
store.start();
// A page framed by nobody has itself for a parent.
if (store.boot.pane && parent !== window) void import("./pane").then(({ joinEditor }) => joinEditor(store));
render(<Chat store={store} />, place);
