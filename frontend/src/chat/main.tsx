import { render, type JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import "../styles/fonts.css";
import "../styles/base.css";
import "../styles/value.css";
import "../styles/chat.css";
import { whenLocked } from "../shared/api";
import { mountPoint, readBoot } from "../shared/boot";
import { later } from "../shared/later";
import type { ChatBoot } from "../generated/wire";
import { Chat } from "./Chat";
import { ChatStore } from "./store";

const fetchLock = () => import("./lock/LockScreen").then((part) => part.LockScreen);
const LockScreen = later(fetchLock);

const store = new ChatStore(readBoot<ChatBoot>());
const place = mountPoint();
place.replaceChildren();

/** The chat, or the lock in its place. What was half typed is kept by the tab, as through a refresh, which is what follows. */
function Page(): JSX.Element {
  const [locked, setLocked] = useState(store.state.locked);
  useLayoutEffect(() => store.subscribe(() => setLocked(store.state.locked)), []);
  const { agent, person, lock } = store.boot;
  if (!locked || !lock) return <Chat store={store} />;
  return <LockScreen agent={agent} person={person} lock={lock} onOpen={() => location.reload()} />;
}

const lockNow = () => store.lock();
whenLocked(lockNow);
store.start();
const { lock, pane } = store.boot;
if (lock) {
  // Fetched while the server can be reached, and by no other agent's page.
  fetchLock().catch(() => undefined);
  // The page is emptied when it locks, and so is what it was drawn from.
  document.getElementById("boot")?.remove();
  // A page that cannot watch shows nothing.
  if (lock.seconds > 0) void import("./lock/presence").then(({ PresenceWatch }) => new PresenceWatch(lock, lockNow), lockNow);
}
// A page framed by nobody has itself for a parent.
if (pane && parent !== window) void import("./pane").then(({ joinEditor }) => joinEditor(store));
render(<Page />, place);
