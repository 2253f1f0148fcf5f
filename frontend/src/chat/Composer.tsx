import { ArrowUp, Square } from "lucide";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState, type MutableRef } from "preact/hooks";
import type { Item, StatusItem } from "../generated/frames";
import { newKey, type ApiError } from "../shared/api";
import { asFields, draftsOf, valuesOf } from "../shared/fields";
import { grow } from "../shared/Control";
import { Fields } from "../shared/Fields";
import { Icon } from "../shared/Icon";
import { t } from "../shared/strings";
import { later } from "../shared/later";
import type { FileDesk } from "./Attachments";
import { keepHalfTyped, readHalfTyped, type HalfTyped } from "./drafts";
import type { ChatStore } from "./store";
import type { Outgoing } from "./unsent";

const Attachments = later(() => import("./Attachments").then((part) => part.Attachments));

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

/** Put into the box from elsewhere: a suggestion's words, or a message that was not sent, with what the server found wrong
 * in it. `n` tells two times apart. */
export interface Filling {
  n: number;
  text?: string;
  message?: Outgoing;
  problem?: ApiError;
}

/** Refusals that the person can mend by typing something else. */
const MENDABLE = new Set([400, 413, 422]);

export const isMendable = (error: ApiError): boolean => MENDABLE.has(error.status);

export interface ComposerProps {
  store: ChatStore;
  task: Task;
  filled: Filling;
  onSent: () => void;
  onRefused: (key: string, problem: ApiError) => void;
  /** The card that must be dealt with first is pointed at. */
  onPoint: (question: string) => void;
  /** Where files go that are dropped on the page. */
  desk: MutableRef<FileDesk | null>;
}

export function Composer({ store, task, filled, onSent, onRefused, onPoint, desk }: ComposerProps): JSX.Element {
  const { agent } = store.boot;
  const conversation = store.state.conversation;
  const [draft, setDraft] = useState<HalfTyped>(() => readHalfTyped(store.desk, conversation));
  const [nudge, setNudge] = useState<string | null>(null);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [declining, setDeclining] = useState(false);
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const held = useRef(conversation);
  const fields = asFields(agent.inputs);
  const drafts = { ...draftsOf(fields, {}), ...draft.inputs };
  const of = (file: boolean) => Object.fromEntries(Object.entries(fields).filter(([, field]) => (field.type === "file") === file));
  const [files, others] = [of(true), of(false)];
  const asksMore = task.task === "message" && Object.keys(fields).length > 0;
  // Also while a turn works: a message that waits for its end takes its files along, and none that is sent may be unseen.
  const takesFiles = asksMore && Object.keys(files).length > 0 && !store.boot.hide.includes("attachments");

  useEffect(() => {
    // A conversation that begins with this message keeps the box; any other has its own half-typed text.
    if (held.current === conversation) return;
    const began = held.current === null && store.state.outgoing.length > 0;
    held.current = conversation;
    if (!began) setDraft(readHalfTyped(store.desk, conversation));
    setErrors({});
    setNudge(null);
  }, [conversation]);

  const took = useRef(filled.n);
  useEffect(() => {
    // A box that was not there at the time does not take it later.
    if (took.current === filled.n) return;
    took.current = filled.n;
    const { message, problem } = filled;
    const text = message?.text ?? filled.text ?? "";
    if (message) {
      const typed = draft.text.trim() || Object.keys(draft.inputs).length > 0;
      // What is typed by now is not pushed away: the message stays in its place, its problem beside it.
      if (problem && typed) return;
      store.discard(message.key);
      change({ text: [text, draft.text].filter((part) => part.trim()).join("\n"), inputs: draftsOf(fields, message.inputs), key: message.key });
      setErrors(problem?.fields ?? {});
      setNudge(problem?.message ?? null);
    } else change({ ...draft, text, key: newKey() });
    const area = box.current;
    area?.focus();
    requestAnimationFrame(() => area?.setSelectionRange(text.length, text.length));
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
    keepHalfTyped(store.desk, conversation, next);
  };
  const fill = (input: string, file: string) => {
    // Two files may have come at the same moment, and words have been typed since they were chosen.
    setDraft((last) => {
      const next = { ...last, inputs: { ...last.inputs, [input]: file }, key: newKey() };
      keepHalfTyped(store.desk, conversation, next);
      return next;
    });
    setNudge(null);
    setErrors(({ [input]: _, [`inputs.${input}`]: __, ...rest }) => rest);
  };
  const clear = () => {
    keepHalfTyped(store.desk, conversation, { text: "", inputs: {}, key: "" });
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
    // Whether the words are a yes, the server alone decides.
    if (refused?.code === "DECLINE_UNCONFIRMED") setDeclining(true);
    else if (refused) setNudge(refused.message);
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
        const waits = desk.current?.waits();
        if (waits) return setNudge(t("chat.fileWaits", { name: waits }));
        if (takesText && !text) return setNudge(t("chat.needText"));
        // From here on the store keeps it, on the page and through a refresh.
        const sending = store.send(text, asksMore ? valuesOf(fields, drafts) : {}, draft.key);
        clear();
        onSent();
        const refused = await sending;
        if (refused) onRefused(draft.key, refused);
        return;
      }
      case "ask":
        if (text) await answer(task.question, task.digest);
        return;
      case "approval":
        if (!text) return;
        if (!store.readable.has(task.digest)) {
          // Words cannot approve what was not read; they may still decline it.
          onPoint(task.question);
          setDeclining(true);
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
      {asksMore && !working && Object.keys(others).length ? (
        <div class="composer-inputs">
          <Fields fields={others} drafts={drafts} errors={inputErrors(errors)} onChange={(inputs) => change({ ...draft, inputs: { ...draft.inputs, ...inputs }, key: newKey() })} />
        </div>
      ) : null}
      {takesFiles ? (
        <Attachments
          // A file on its way belongs to the conversation that it was chosen in.
          key={conversation ?? ""}
          files={files}
          drafts={drafts}
          errors={inputErrors(errors)}
          path={`/api/a/${agent.slug}/files`}
          desk={desk}
          onFill={fill}
          onSay={setNudge}
          onRemoved={() => box.current?.focus()}
        />
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
            onInput={(event) => change({ ...draft, text: event.currentTarget.value, key: newKey() })}
            onKeyDown={onKeyDown}
            onPaste={(event) => {
              const given = Array.from(event.clipboardData?.files ?? []);
              if (!takesFiles || !given.length) return;
              event.preventDefault();
              desk.current?.attach(given);
            }}
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
