import { MessageSquarePlus, X } from "lucide";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ConversationRow } from "../generated/wire";
import { asApiError, get } from "../shared/api";
import { Icon } from "../shared/Icon";
import { t, type StringKey } from "../shared/strings";
import { ago, moment } from "../shared/time";
import type { ChatStore } from "./store";

const STATES: Partial<Record<ConversationRow["state"], StringKey>> = {
  working: "chat.stateWorking",
  waiting_you: "chat.stateYou",
  waiting_others: "chat.stateOthers",
};

function dayOf(row: ConversationRow): StringKey {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const at = Date.parse(row.lastAt);
  if (at >= midnight.getTime()) return "chat.historyToday";
  return at >= midnight.getTime() - 86_400_000 ? "chat.historyYesterday" : "chat.historyEarlier";
}

/** Earlier conversations with this agent, in a drawer. */
export function History({ store, onClose }: { store: ChatStore; onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [rows, setRows] = useState<ConversationRow[] | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const load = async () => {
    setFailed(null);
    try {
      const reply = await get<{ conversations: ConversationRow[] } | ConversationRow[]>(`/api/a/${store.boot.agent.slug}/conversations`);
      setRows(Array.isArray(reply) ? reply : reply.conversations);
    } catch (thrown) {
      setFailed(asApiError(thrown).message);
    }
  };
  useEffect(() => {
    dialog.current?.showModal();
    void load();
  }, []);
  const days = new Map<StringKey, ConversationRow[]>();
  for (const row of rows ?? []) days.set(dayOf(row), [...(days.get(dayOf(row)) ?? []), row]);
  return (
    <dialog
      ref={dialog}
      class="drawer"
      aria-label={t("chat.history")}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <div class="drawer-in">
        <div class="drawer-head">
          <h2 class="heading">{t("chat.history")}</h2>
          <button type="button" class="btn btn-ghost btn-icon" aria-label={t("shared.close")} onClick={() => dialog.current?.close()}>
            <Icon of={X} />
          </button>
        </div>
        <div class="drawer-list">
          {failed ? (
            <div class="drawer-empty">
              <p>{t("chat.historyFailed")}</p>
              <p class="muted small">{failed}</p>
              <button type="button" class="btn" onClick={() => void load()}>
                {t("shared.retry")}
              </button>
            </div>
          ) : rows === null ? (
            <div class="drawer-wait" aria-busy="true">
              {[64, 82, 48, 71].map((width) => (
                <span key={width} class="skeleton" style={{ inlineSize: `${width}%` }} />
              ))}
            </div>
          ) : rows.length === 0 ? (
            <div class="drawer-empty">
              <Icon of={MessageSquarePlus} size={22} />
              <p>{t("chat.historyEmpty")}</p>
            </div>
          ) : (
            [...days].map(([day, list]) => (
              <section key={day}>
                <h3 class="overline">{t(day)}</h3>
                <ul class="drawer-rows">
                  {list.map((row) => {
                    const state = STATES[row.state];
                    return (
                      <li key={row.id}>
                        <button
                          type="button"
                          class="drawer-row"
                          aria-current={row.id === store.state.conversation ? "true" : undefined}
                          onClick={() => {
                            dialog.current?.close();
                            void store.open(row.id);
                          }}
                        >
                          <span class="clip" dir="auto">
                            {row.title || t("chat.untitled")}
                          </span>
                          {state ? <span class={row.state === "waiting_you" ? "badge badge-warn" : "badge"}>{t(state)}</span> : null}
                          <time class="muted tiny" dateTime={row.lastAt} title={moment(row.lastAt)}>
                            {ago(row.lastAt)}
                          </time>
                        </button>
                      </li>
                    );
                  })}
                </ul>
              </section>
            ))
          )}
        </div>
      </div>
    </dialog>
  );
}
