import { render } from "preact";
import "../styles/fonts.css";
import "../styles/base.css";
import "../styles/value.css";
import "../styles/chat.css";
import "../styles/inbox.css";
import { mountPoint, readBoot } from "../shared/boot";
import { ignoreDrops } from "../shared/drops";
import type { InboxBoot } from "../generated/wire";
import { Inbox } from "./Inbox";

ignoreDrops();
const place = mountPoint();
place.replaceChildren();
render(<Inbox boot={readBoot<InboxBoot>()} />, place);
