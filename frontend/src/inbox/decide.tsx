import "./words";
import { render, type JSX } from "preact";
import { useState } from "preact/hooks";
import "../styles/fonts.css";
import "../styles/base.css";
import "../styles/value.css";
import "../styles/chat.css";
import "../styles/inbox.css";
import type { Decide } from "../chat/cards/useDecision";
import type { QuestionDetail } from "../generated/wire";
import { asApiError, get, post } from "../shared/api";
import { mountPoint, readBoot } from "../shared/boot";
import { ignoreDrops } from "../shared/drops";
import type { DecideBoot } from "../generated/wire";
import { Detail } from "./Detail";

/** One question alone, decided by a POST of the signed-in person; the link in a notice leads here. */
function Decision({ boot }: { boot: DecideBoot }): JSX.Element {
  const [detail, setDetail] = useState(boot.detail);
  const question = detail.row.question;
  const read = async () => {
    try {
      setDetail(await get<QuestionDetail>(`/api/questions/${question}`));
    } catch (thrown) {
      asApiError(thrown);
    }
  };
  const decide: Decide = async (body, key) => {
    try {
      await post(`/api/questions/${question}/answer`, { ...body, key });
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.status === 401) location.assign(`/sign-in?next=${encodeURIComponent(location.pathname)}`);
      if (error.status === 409) void read();
      return error;
    }
    await read();
    return null;
  };
  const { inboxUrl } = boot;
  return (
    <div class="decide">
      <Detail detail={detail} decide={decide} onBack={inboxUrl ? () => location.assign(inboxUrl) : undefined} />
    </div>
  );
}

ignoreDrops();
const place = mountPoint();
place.replaceChildren();
render(<Decision boot={readBoot<DecideBoot>()} />, place);
