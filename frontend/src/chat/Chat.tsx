import { ArrowDown, History as HistoryIcon, LoaderCircle, Pause, SquarePen } from "lucide";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Item, MessageItem } from "../generated/frames";
import type { ApiError } from "../shared/api";
import { asFields } from "../shared/fields";
import { useTick } from "../shared/hooks";
import { Icon } from "../shared/Icon";
import { turnsOf, type Turn } from "../shared/items";
import { later } from "../shared/later";
import { SignInLink } from "../shared/SignInLink";
import { assertNever } from "../shared/assertNever";
import { t } from "../shared/strings";
import { Answer } from "./Answer";
import type { FileDesk } from "./Attachments";
import { Approval } from "./cards/Approval";
import { Ask } from "./cards/Ask";
import { End } from "./cards/End";
import { Form } from "./cards/Form";
import type { Decide } from "./cards/useDecision";
import { Waiting } from "./cards/Waiting";
import { Composer, isMendable, taskOf, type Filling } from "./Composer";
import { Drops } from "./Drops";
import { Live } from "./Live";
import { Message, Queued, Sending } from "./Message";
import { Steps } from "./Steps";
import { endedWords, type ChatStore } from "./store";
import { useStick } from "./useStick";

// Most conversations have neither.
const History = later(() => import("./History").then((part) => part.History));
const Outcome = later(() => import("./cards/Outcome").then((part) => part.Outcome));

/** A short break of the connection is nobody's concern. */
const QUIET = 1500;

export function Chat({ store }: { store: ChatStore }): JSX.Element {
  const [, redraw] = useState(0);
  // In the same turn as the first drawing: what the connection says before the next frame must not be missed.
  useLayoutEffect(() => store.subscribe(() => redraw((n) => n + 1)), [store]);
  const { state, status, boot } = store;
  const [historyOpen, setHistoryOpen] = useState(false);
  const [filled, setFilled] = useState<Filling>({ n: 0 });
  const log = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const desk = useRef<FileDesk | null>(null);
  const stick = useStick(log, inner);
  const hides = (part: string) => boot.hide.includes(part);

  useEffect(() => stick.toEnd(), [state.conversation]);

  const open = status.state === "waiting_you" ? status.question : null;
  useEffect(() => {
    const card = open ? log.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(open)}"]`) : null;
    if (!card) return;
    // The card's own sheet and fields give it its height a moment later.
    const frame = requestAnimationFrame(() => stick.holdAt(card));
    return () => {
      cancelAnimationFrame(frame);
      stick.toEnd();
    };
  }, [open]);

  const turns = turnsOf(state.items);
  const task = taskOf(status, state.items);
  const empty = turns.length === 0 && state.outgoing.length === 0;
  const put = (what: Omit<Filling, "n">) => setFilled((last) => ({ ...what, n: last.n + 1 }));
  const fill = (text: string) => put({ text });
  /** What the server found wrong is mended in the composer; anything else is tried again where the message stands. */
  const mend = (key: string, problem: ApiError) => {
    const message = store.state.outgoing.find((one) => one.key === key);
    if (message && isMendable(problem)) put({ message, problem });
  };
  const again = async (run: string) => {
    const refused = await store.again(run);
    if (refused) mend(refused.key, refused.error);
  };
  const point = (question: string) => {
    const card = log.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(question)}"]`);
    if (!card) return;
    card.scrollIntoView({ block: "nearest", behavior: "smooth" });
    card.classList.remove("pointed");
    void card.offsetWidth;
    card.classList.add("pointed");
    card.querySelector<HTMLElement>("input, select, textarea")?.focus({ preventScroll: true });
  };
  const idle = status.state === "idle" && state.outgoing.length === 0;
  const pausedNow = boot.agent.paused !== null && task.task === "message";
  const composes = !pausedNow && task.task !== "others" && (boot.agent.textInput !== null || Object.keys(boot.agent.inputs).length > 0 || !idle);
  const suggestions = hides("suggestions") || !boot.agent.textInput || boot.agent.paused !== null ? [] : boot.agent.suggestions;
  return (
    <div class="chat" data-conversation={state.conversation ?? ""} data-status={status.state}>
      {hides("header") ? null : (
        <header class="chat-head">
          <div class="chat-name">
            <h1>
              <bdi>{boot.agent.name}</bdi>
            </h1>
            {boot.agent.description ? (
              <p title={boot.agent.description}>
                <bdi>{boot.agent.description}</bdi>
              </p>
            ) : null}
          </div>
          {hides("history") ? null : (
            <button type="button" class="btn btn-ghost chat-act" onClick={() => setHistoryOpen(true)}>
              <Icon of={HistoryIcon} />
              <span>{t("chat.history")}</span>
            </button>
          )}
          {hides("newChat") ? null : (
            <button type="button" class="btn chat-act" onClick={() => void store.newChat()}>
              <Icon of={SquarePen} />
              <span>{t("chat.newChat")}</span>
            </button>
          )}
        </header>
      )}
      <LinkStrip store={store} />
      <main class="chat-log" ref={log} tabIndex={-1} aria-label={t("chat.conversation")}>
        <div class={empty ? "chat-in chat-in-empty" : "chat-in"} ref={inner}>
          {state.loading ? <Skeleton /> : null}
          {state.failed ? (
            <div class="chat-failed">
              <p>{state.failed}</p>
              <button type="button" class="btn" onClick={() => store.retryOpen()}>
                {t("shared.retry")}
              </button>
            </div>
          ) : null}
          {empty && !state.loading && !state.failed ? <Welcome store={store} suggestions={suggestions} onFill={fill} /> : null}
          {turns.filter((turn) => !turn.queued).map((turn) => (
            <TurnView key={turn.run} turn={turn} store={store} onAgain={again} />
          ))}
          {turns.filter((turn) => turn.queued).map((turn) => (
            <Queued key={turn.run} item={turn.items[0] as MessageItem} onRemove={() => store.removeQueued(turn.run)} />
          ))}
          {state.outgoing.map((message) => (
            <Sending
              key={message.key}
              message={message}
              onAgain={async () => {
                const refused = await store.send(message.text, message.inputs, message.key);
                if (refused) mend(message.key, refused);
              }}
              onTakeBack={composes && task.task === "message" ? () => put({ message }) : undefined}
            />
          ))}
        </div>
      </main>
      <footer class="chat-foot">
        {stick.away && !stick.held && !empty ? (
          <button type="button" class="to-latest" onClick={() => stick.toEnd(true)}>
            <Icon of={ArrowDown} size={14} />
            {t("chat.latest")}
          </button>
        ) : null}
        <Drops desk={desk} ever={Object.values(asFields(boot.agent.inputs)).some((field) => field.type === "file") && !hides("attachments")} />
        {idle && !empty && suggestions.length ? <Suggestions list={suggestions} onFill={fill} /> : null}
        {pausedNow ? (
          <div class="others-strip">
            <Icon of={Pause} />
            <span class="grow" dir="auto">
              {boot.agent.paused || t("chat.paused")}
            </span>
          </div>
        ) : task.task === "others" ? (
          <OthersStrip store={store} />
        ) : !composes ? (
          <FormFirst store={store} />
        ) : (
          <Composer store={store} task={task} filled={filled} onSent={() => stick.toEnd()} onRefused={mend} onPoint={point} desk={desk} />
        )}
      </footer>
      <Live store={store} />
      {historyOpen ? <History store={store} onClose={() => setHistoryOpen(false)} /> : null}
    </div>
  );
}

function TurnView({ turn, store, onAgain }: { turn: Turn; store: ChatStore; onAgain: (run: string) => void }): JSX.Element {
  const { status } = store;
  const answers = turn.items.filter((item) => item.type === "answer").length;
  const started = turn.items.some((item) => item.type !== "message");
  const works = status.run === turn.run && status.state === "working";
  const streams = turn.items.some((item) => item.type === "answer" && item.streaming);
  const last = turn.items.at(-1)?.type;
  // Until a question was put, the steps' own line says that the run goes on; after it that line is far above.
  const quiet = last === "steps" || last === "message";
  const now = turn.items.find((item) => item.type === "steps")?.steps.findLast((step) => step.state === "running")?.title;
  const hidesSteps = store.boot.hide.includes("steps");
  const over = status.run !== turn.run;
  const lastAnswer = turn.items.findLast((item) => item.type === "answer");
  return (
    <section class="turn">
      {turn.items.map((item) => (
        <ItemView key={item.id} item={item} store={store} named={answers > 1} hidesSteps={hidesSteps} working={works && !streams && quiet} onAgain={onAgain} onFork={over && item === lastAnswer ? () => store.fork(turn.run) : undefined} />
      ))}
      {works && !streams && (!started || hidesSteps || !quiet) ? <Working title={hidesSteps ? undefined : now} /> : null}
    </section>
  );
}

function Working({ title }: { title?: string }): JSX.Element {
  return (
    <p class="steps-line steps-working">
      <span class="steps-part steps-now">
        <span class="step-mark step-running">
          <Icon of={LoaderCircle} size={13} />
        </span>
        <span class="steps-title" dir="auto">
          {title ?? t("chat.working")}
        </span>
      </span>
    </p>
  );
}

interface ItemProps {
  item: Item;
  store: ChatStore;
  /** Several answers in one turn say which is which. */
  named: boolean;
  hidesSteps: boolean;
  working: boolean;
  onAgain: (run: string) => void;
  onFork?: () => Promise<ApiError | null>;
}

function ItemView({ item, store, named, hidesSteps, working, onAgain, onFork }: ItemProps): JSX.Element | null {
  const decide = (question: string): Decide => (body, key) => store.answer(question, body, key);
  switch (item.type) {
    case "message":
      return <Message item={item} />;
    case "steps":
      return hidesSteps ? null : <Steps item={item} working={working} />;
    case "answer":
      return <Answer item={item} stream={store.state.streams.get(item.id)} named={named} onFork={onFork} />;
    case "ask":
      return <Ask item={item} />;
    case "form":
      return (
        <div class="card-slot" data-card={item.question}>
          <Form item={item} decide={decide(item.question)} />
        </div>
      );
    case "approval":
      return (
        <div class="card-slot" data-card={item.question}>
          <Approval item={item} decide={decide(item.question)} onRead={() => store.readable.add(item.digest)} />
        </div>
      );
    case "outcome":
      return (
        <div class="card-slot" data-card={item.question}>
          <Outcome item={item} decide={decide(item.question)} />
        </div>
      );
    case "waiting":
      return (
        <div class="card-slot" data-card={item.question}>
          <Waiting item={item} decide={decide(item.question)} inboxUrl={store.boot.inboxUrl} />
        </div>
      );
    case "end":
      return <End item={item} busy={store.status.state !== "idle"} onAgain={() => onAgain(item.run)} />;
    case "status":
      return null;
    default:
      return assertNever(item);
  }
}

function Welcome({ store, suggestions, onFill }: { store: ChatStore; suggestions: string[]; onFill: (text: string) => void }): JSX.Element {
  const { agent } = store.boot;
  return (
    <div class="welcome">
      <h2 dir="auto">{agent.welcome || t("chat.welcome", { name: agent.name })}</h2>
      {agent.description ? <p dir="auto">{agent.description}</p> : null}
      {suggestions.length ? (
        <ul class="welcome-list" aria-label={t("chat.suggestions")}>
          {suggestions.map((text) => (
            <li key={text}>
              <button type="button" class="welcome-suggestion" dir="auto" onClick={() => onFill(text)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

function Suggestions({ list, onFill }: { list: string[]; onFill: (text: string) => void }): JSX.Element {
  return (
    <ul class="suggestions" aria-label={t("chat.suggestions")}>
      {list.map((text) => (
        <li key={text}>
          <button type="button" class="suggestion" dir="auto" onClick={() => onFill(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Skeleton(): JSX.Element {
  return (
    <div class="chat-skeleton" aria-busy="true" aria-label={t("shared.loading")}>
      <span class="skeleton skeleton-bubble" />
      <span class="skeleton" style={{ inlineSize: "38%" }} />
      <span class="skeleton" style={{ inlineSize: "92%" }} />
      <span class="skeleton" style={{ inlineSize: "84%" }} />
      <span class="skeleton" style={{ inlineSize: "61%" }} />
    </div>
  );
}

function LinkStrip({ store }: { store: ChatStore }): JSX.Element | null {
  const { link, closeCode } = store.state;
  const lost = link === "lost";
  const [since, setSince] = useState<number | null>(null);
  useEffect(() => setSince(lost ? Date.now() : null), [lost]);
  useTick(lost ? 500 : 0);
  if (link === "ended") {
    return (
      <div class="link-strip link-ended" role="alert">
        {endedWords(closeCode)}
        {closeCode === 4401 ? (
          <SignInLink />
        ) : null}
      </div>
    );
  }
  if (!lost || since === null || Date.now() - since < QUIET) return null;
  return (
    <div class="link-strip" role="status">
      {t("chat.reconnecting")}
    </div>
  );
}

/** While somebody else decides: what waits and for whom, in place of the composer. */
function OthersStrip({ store }: { store: ChatStore }): JSX.Element {
  const item = store.status.question ? store.state.items.get(`q:${store.status.question}`) : undefined;
  const words = item?.type === "waiting" ? t("chat.waitsFor", { who: item.forWhom }) : t("chat.waits");
  return (
    <div class="others-strip">
      <span class="others-pulse" aria-hidden="true" />
      <bdi class="grow">{item?.type === "waiting" && item.kind === "outcome" ? t("chat.checking") : words}</bdi>
      <button type="button" class="btn" onClick={() => void store.newChat()}>
        <Icon of={SquarePen} />
        {t("chat.newChat")}
      </button>
    </div>
  );
}

/** A flow that takes no message starts with its form; a finished one starts again. */
function FormFirst({ store }: { store: ChatStore }): JSX.Element {
  return (
    <div class="others-strip">
      <span class="grow">{t("chat.placeholderNoText")}</span>
      <button type="button" class="btn btn-primary" onClick={() => void store.newChat()}>
        <Icon of={SquarePen} />
        {t("chat.newChat")}
      </button>
    </div>
  );
}
