import { ArrowUp, Square } from "lucide";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Item, StatusItem } from "../generated/frames";
import { ApiError, newKey } from "../shared/api";
import { asFields, draftsOf, valuesOf } from "../shared/fields";
import { grow } from "../shared/Control";
import { Fields } from "../shared/Fields";
import { Icon } from "../shared/Icon";
import { t } from "../shared/strings";
import { isYes } from "./consent";
import { keepHalfTyped, readHalfTyped, type HalfTyped } from "./drafts";
import type { ChatStore } from "./store";

/** What the composer does with what is typed. */
type Task =
  | { task: "message"; busy: boolean }
  | { task: "ask"; question: string; digest: string }
  | { task: "approval"; question: string; digest: string }
  | { task: "form"; question: string }
  | { task: "outcome"; question: string }
  | { task: "others" };

export function taskOf(status: StatusItem, items: ReadonlyMap<string, Item>): Task {
  if (status.state === "waiting_others") return { task: "others" };
  if (status.state !== "waiting_you" || !status.question) return { task: "message", busy: status.state === "working" };
  const item = items.get(`q:${status.question}`);
  const digest = item && "digest" in item ? item.digest : "";
  const question = status.question;
  switch (status.kind) {
    case "ask":
      return { task: "ask", question, digest };
    case "approval":
      return item?.type === "waiting" ? { task: "others" } : { task: "approval", question, digest };
    case "form":
      return { task: "form", question };
    case "outcome":
      return item?.type === "waiting" ? { task: "others" } : { task: "outcome", question };
    case null:
      return { task: "others" };
  }
}

function placeholderOf(task: Task, store: ChatStore): string {
  switch (task.task) {
    case "message":
      if (!store.boot.agent.textInput && task.busy) return t("chat.working");
      return task.busy ? t("chat.placeholderWorking") : t("chat.placeholder", { name: store.boot.agent.name });
    case "ask":
      return t("chat.placeholderAsk");
    case "approval":
      return t("chat.placeholderApproval");
    case "form":
      return t("chat.placeholderForm");
    case "outcome":
      return t("chat.placeholderOutcome");
    case "others":
      return t("chat.waits");
  }
}

export interface ComposerProps {
  store: ChatStore;
  task: Task;
  /** Text put into the box from elsewhere: a suggestion, a message taken back. `n` tells two times apart. */
  filled: { text: string; n: number };
  onSent: () => void;
  /** The card that must be dealt with first is pointed at. */
  onPoint: (question: string) => void;
}

export function Composer({ store, task, filled, onSent, onPoint }: ComposerProps): JSX.Element {
  const { agent } = store.boot;
  const conversation = store.state.conversation;
  const [draft, setDraft] = useState<HalfTyped>(() => readHalfTyped(agent.slug, conversation));
  const [nudge, setNudge] = useState<string | null>(null);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [declining, setDeclining] = useState(false);
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const held = useRef(conversation);
  const fields = asFields(agent.inputs);
  const drafts = { ...draftsOf(fields, {}), ...draft.inputs };
  const asksMore = task.task === "message" && Object.keys(fields).length > 0;

  useEffect(() => {
    // A conversation that begins with this message keeps the box; any other has its own half-typed text.
    if (held.current === conversation) return;
    const began = held.current === null && store.state.outgoing.length > 0;
    held.current = conversation;
    if (!began) setDraft(readHalfTyped(agent.slug, conversation));
    setErrors({});
    setNudge(null);
  }, [conversation]);

  useEffect(() => {
    if (!filled.n) return;
    change({ ...draft, text: filled.text });
    const area = box.current;
    area?.focus();
    requestAnimationFrame(() => area?.setSelectionRange(filled.text.length, filled.text.length));
  }, [filled.n]);

  useEffect(() => {
    setNudge(null);
    setDeclining(false);
  }, [task.task, "question" in task ? task.question : ""]);

  useLayoutEffect(() => grow(box.current, 220), [draft.text]);

  const change = (next: HalfTyped) => {
    setDraft(next);
    setNudge(null);
    setDeclining(false);
    keepHalfTyped(agent.slug, conversation, next);
  };
  const clear = () => {
    keepHalfTyped(agent.slug, conversation, { text: "", inputs: {}, key: "" });
    setDraft({ text: "", inputs: {}, key: newKey() });
    setErrors({});
    setNudge(null);
    setDeclining(false);
  };

  const text = draft.text.trim();
  const takesText = task.task !== "message" || agent.textInput !== null;

  const answer = async (question: string, digest: string, decision: "answer" | "decline" = "answer") => {
    setBusy(true);
    const refused = await store.answer(question, { digest, decision, text: draft.text.trim() }, draft.key);
    setBusy(false);
    if (refused) setNudge(refused.message);
    else {
      clear();
      onSent();
    }
  };

  const submit = async () => {
    if (busy) return;
    switch (task.task) {
      case "message": {
        if (takesText && !text && !asksMore) return;
        if (takesText && !text) return setNudge(t("chat.needText"));
        const kept = draft;
        const sending = store.send(text, asksMore ? valuesOf(fields, drafts) : {}, draft.key);
        clear();
        onSent();
        try {
          await sending;
        } catch (thrown) {
          if (!(thrown instanceof ApiError)) throw thrown;
          // The server says what to mend: everything typed comes back.
          change(kept);
          setErrors(thrown.fields);
          setNudge(thrown.message);
        }
        return;
      }
      case "ask":
        if (text) await answer(task.question, task.digest);
        return;
      case "approval":
        if (!text) return;
        if (!isYes(text, document.documentElement.lang || "en")) return setDeclining(true);
        if (!store.readable.has(task.digest)) {
          onPoint(task.question);
          return setNudge(t("chat.readAll"));
        }
        return answer(task.question, task.digest);
      case "form":
        onPoint(task.question);
        return setNudge(t("chat.formFirst"));
      case "outcome":
        onPoint(task.question);
        return setNudge(t("chat.outcomeFirst"));
      case "others":
        return;
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    // On a touch keyboard Enter is a new line; the button sends.
    if (matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    void submit();
  };

  const working = task.task === "message" && task.busy;
  const canSend = task.task === "message" ? (takesText ? text !== "" : !working) : text !== "";
  return (
    <div class="composer-area">
      {nudge ? (
        <p class="composer-nudge" role="status">
          {nudge}
        </p>
      ) : null}
      {declining && task.task === "approval" ? (
        <div class="composer-nudge composer-decline" role="alertdialog" aria-label={t("chat.declineAsk")}>
          <span>{t("chat.declineAsk")}</span>
          <button type="button" class="btn btn-small btn-danger" disabled={busy} onClick={() => void answer(task.question, task.digest, "decline")}>
            {t("chat.declineYes")}
          </button>
          <button
            type="button"
            class="btn btn-small btn-ghost"
            onClick={() => {
              setDeclining(false);
              box.current?.focus();
            }}
          >
            {t("chat.declineNo")}
          </button>
        </div>
      ) : null}
      {asksMore && !working ? (
        <div class="composer-inputs">
          <Fields fields={fields} drafts={drafts} errors={inputErrors(errors)} onChange={(inputs) => change({ ...draft, inputs })} />
        </div>
      ) : null}
      <form
        class="composer"
        data-task={task.task}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
        onClick={(event) => {
          if (event.target === event.currentTarget) box.current?.focus();
        }}
      >
        {takesText ? (
          <textarea
            ref={box}
            class="composer-box"
            rows={1}
            dir={draft.text ? "auto" : undefined}
            aria-label={t("chat.composer")}
            placeholder={placeholderOf(task, store)}
            value={draft.text}
            maxLength={100_000}
            enterkeyhint="send"
            onInput={(event) => change({ ...draft, text: event.currentTarget.value, key: draft.text.trim() ? draft.key : newKey() })}
            onKeyDown={onKeyDown}
          />
        ) : (
          <span class="composer-box composer-words">{placeholderOf(task, store)}</span>
        )}
        {working ? (
          <button
            type="button"
            class="composer-stop"
            disabled={store.state.stopping}
            aria-label={t(store.state.stopping ? "chat.stopping" : "chat.stop")}
            title={t(store.state.stopping ? "chat.stopping" : "chat.stop")}
            onClick={async () => {
              const refused = await store.stop();
              if (refused) setNudge(refused.message);
            }}
          >
            <Icon of={Square} size={12} />
          </button>
        ) : null}
        {working && !canSend ? null : (
          <button type="submit" class="composer-send" disabled={!canSend || busy} aria-busy={busy} aria-label={t("chat.send")} title={t("chat.send")}>
            <Icon of={ArrowUp} size={17} />
          </button>
        )}
      </form>
    </div>
  );
}

/** The server names an input by its channel, with or without the word before it. */
function inputErrors(errors: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(errors).map(([path, message]) => [path.replace(/^inputs\./, ""), message]));
}
