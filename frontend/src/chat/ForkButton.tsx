import { GitFork } from "lucide";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ApiError } from "../shared/api";
import { Icon } from "../shared/Icon";
import { t } from "../shared/strings";

/** Goes on from this answer in a new conversation, and leaves this one as it is. */
export function ForkButton({ onFork }: { onFork: () => Promise<ApiError | null> }): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [words, setWords] = useState("");
  const fork = async () => {
    setBusy(true);
    setWords("");
    const refused = await onFork();
    setBusy(false);
    if (refused) setWords(refused.message);
  };
  return (
    <>
      <button type="button" class="quiet-button" disabled={busy} aria-label={t("chat.fork")} title={`${t("chat.fork")}. ${t("chat.forkHelp")}`} onClick={fork}>
        <Icon of={GitFork} size={14} />
      </button>
      {words ? (
        <span class="unsent-note" role="alert">
          {words}
        </span>
      ) : null}
    </>
  );
}
