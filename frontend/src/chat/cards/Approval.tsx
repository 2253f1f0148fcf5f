import { Check, CircleSlash, Clock, Pencil, Undo2 } from "lucide";
import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ApprovalItem } from "../../generated/frames";
import { asFields, draftsOf, valuesOf, type Draft } from "../../shared/fields";
import { Fields } from "../../shared/Fields";
import { keep, ofPerson, readKept, useTick } from "../../shared/hooks";
import { Icon } from "../../shared/Icon";
import { Sealed } from "../../shared/Sealed";
import { t } from "../../shared/strings";
import { moment, span } from "../../shared/time";
import { Verbatim } from "../../shared/Words";
import { Exhibits } from "./Exhibits";
import { Figures } from "./Figures";
import { useArmed, useDecision, type Decide } from "./useDecision";

type Mode = "read" | "edit" | "decline" | "sure";

/** A key pressed on the page that is meant for this card; `n` tells two presses apart. */
export interface CardCommand {
  name: "approve" | "decline";
  n: number;
}

export interface ApprovalProps {
  item: ApprovalItem;
  decide: Decide;
  /** In a conversation one card; on a page of its own every part stands alone. */
  variant?: "chat" | "page";
  command?: CardCommand;
  onRead?: () => void;
}

export function Approval(props: ApprovalProps): JSX.Element {
  return (
    <Sealed label={props.item.ask}>
      <ApprovalBody {...props} />
    </Sealed>
  );
}

function ApprovalBody({ item, decide, variant = "chat", command, onRead }: ApprovalProps): JSX.Element {
  // A reason or a change half typed outlives a sign-in that ended: the card opens where it was left.
  const keptAt = ofPerson(`decline ${item.question}`);
  const [reason, setReason] = useState(() => readKept<string>(keptAt) ?? "");
  const editAt = ofPerson(`edit ${item.question}`);
  const [edited, setEdited] = useState(() => readEdited(editAt, item.digest));
  const [mode, setMode] = useState<Mode>(reason ? "decline" : edited ? "edit" : "read");
  const [read, setRead] = useState(false);
  const fields = asFields(item.edit?.fields ?? {});
  const drafts = edited ?? draftsOf(fields, item.edit?.values ?? {});
  const deciding = useDecision(item.digest, decide);
  const armed = useArmed(item.digest);
  const box = useRef<HTMLElement>(null);
  const pending = item.state === "pending";
  const expired = useExpired(item.expiresAt, pending);
  const open = pending && item.canDecide && !expired && !deciding.conflict;

  const approve = async () => {
    if (!armed || !read) return;
    const edited = mode === "edit" ? valuesOf(fields, drafts) : undefined;
    await deciding.run({ decision: "approve", ...(edited ? { values: edited } : {}) });
  };
  const decline = () => deciding.run({ decision: "decline", ...(reason.trim() ? { reason: reason.trim() } : {}) });

  const shown = useRef(item.digest);
  useEffect(() => {
    if (shown.current === item.digest) return;
    shown.current = item.digest;
    setMode("read");
    setEdited(undefined);
  }, [item.digest]);

  useEffect(() => keep(keptAt, pending && reason ? reason : undefined), [reason, pending]);
  useEffect(() => keep(editAt, pending && edited ? { digest: item.digest, drafts: edited } : undefined), [edited, pending]);

  useEffect(() => {
    if (!command || !open) return;
    if (command.name === "decline") setMode("decline");
    else if (mode === "sure") void approve();
    else if (mode === "read") setMode("sure");
  }, [command?.n]);

  useEffect(() => {
    if (mode === "edit" || mode === "decline") {
      const first = box.current?.querySelector<HTMLElement>(".act input, .act textarea, .edit input, .edit textarea, .edit select");
      first?.focus();
      // The log follows its end while the card grows; the second frame comes after that.
      requestAnimationFrame(() => requestAnimationFrame(() => first?.scrollIntoView({ block: "center" })));
    }
    if (mode === "sure") box.current?.querySelector<HTMLElement>(".sure")?.focus();
  }, [mode]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || mode === "read") return;
    event.stopPropagation();
    setMode("read");
  };

  return (
    <article ref={box} class={`decision decision-${variant}`} data-state={item.state} onKeyDown={onKeyDown}>
      {variant === "chat" ? (
        <header class="question">
          <h3 dir="auto">
            <Verbatim text={item.ask} />
          </h3>
          {open ? <span class="by">{t("chat.youDecide")}</span> : null}
        </header>
      ) : null}
      {mode === "edit" && open ? (
        <section class="part edit" aria-label={t("chat.edit")}>
          <p class="part-note">{t("chat.editing")}</p>
          <Fields fields={fields} drafts={drafts} errors={deciding.error?.fields ?? {}} onChange={setEdited} disabled={deciding.busy !== null} />
        </section>
      ) : null}
      <section class={mode === "edit" && open ? "part figures behind" : "part figures"}>
        {variant === "page" ? <h3 class="part-title">{t("chat.figures")}</h3> : null}
        <Figures
          key={item.digest}
          figures={item.figures}
          does={item.does}
          onRead={() => {
            setRead(true);
            onRead?.();
          }}
        />
      </section>
      {item.exhibits.length ? <Exhibits question={item.question} exhibits={item.exhibits} pending={open} /> : null}
      {item.why ? <Account why={item.why} /> : null}
      {open ? (
        <footer class="act">
          {deciding.error && !deciding.conflict ? (
            <p class="card-error" role="alert">
              {deciding.error.message}
            </p>
          ) : null}
          {mode === "decline" ? (
            <Declining reason={reason} setReason={setReason} />
          ) : null}
          <div class="act-row">
            {mode === "read" || mode === "sure" ? (
              <>
                <button
                  type="button"
                  class={mode === "sure" ? "btn btn-primary sure" : "btn btn-primary"}
                  disabled={!armed || !read || deciding.busy !== null}
                  aria-busy={deciding.busy === "approve"}
                  onClick={approve}
                >
                  <Icon of={Check} />
                  {t(mode === "sure" ? "chat.approveSure" : "chat.approve")}
                </button>
                {mode === "sure" ? (
                  <button type="button" class="btn btn-ghost" onClick={() => setMode("read")}>
                    {t("shared.cancel")}
                  </button>
                ) : (
                  <>
                    {item.edit ? (
                      <button type="button" class="btn" disabled={deciding.busy !== null} onClick={() => setMode("edit")}>
                        <Icon of={Pencil} />
                        {t("chat.edit")}
                      </button>
                    ) : null}
                    <button type="button" class="btn btn-ghost" disabled={deciding.busy !== null} onClick={() => setMode("decline")}>
                      {t("chat.decline")}
                    </button>
                  </>
                )}
              </>
            ) : null}
            {mode === "edit" ? (
              <>
                <button type="button" class="btn btn-primary" disabled={!armed || !read || deciding.busy !== null} aria-busy={deciding.busy === "approve"} onClick={approve}>
                  <Icon of={Check} />
                  {t("chat.approveEdited")}
                </button>
                <button
                  type="button"
                  class="btn btn-ghost"
                  onClick={() => {
                    setEdited(undefined);
                    deciding.clear();
                    setMode("read");
                  }}
                >
                  <Icon of={Undo2} />
                  {t("chat.editBack")}
                </button>
              </>
            ) : null}
            {mode === "decline" ? (
              <>
                <button type="button" class="btn btn-danger" disabled={deciding.busy !== null} aria-busy={deciding.busy === "decline"} onClick={decline}>
                  <Icon of={CircleSlash} />
                  {t("chat.decline")}
                </button>
                <button type="button" class="btn btn-ghost" onClick={() => setMode("read")}>
                  {t("shared.cancel")}
                </button>
              </>
            ) : null}
            <span class="act-note">
              {read ? (
                <Expiry at={item.expiresAt} />
              ) : (
                <span class="warn">{t("chat.readAll")}</span>
              )}
            </span>
          </div>
        </footer>
      ) : (
        <Closed item={item} expired={expired && pending} conflict={deciding.conflict ? deciding.error!.message : null} />
      )}
    </article>
  );
}

type Drafts = { [name: string]: Draft };

/** What somebody was changing on this very card; undefined for a card that is another one by now. */
function readEdited(at: string, digest: string): Drafts | undefined {
  const kept = readKept<{ digest: string; drafts: Drafts }>(at);
  return kept?.digest === digest ? kept.drafts : undefined;
}

function Declining({ reason, setReason }: { reason: string; setReason: (text: string) => void }): JSX.Element {
  const id = useId();
  return (
    <div class="field decline-reason">
      <label class="label" for={id}>
        {t("chat.declineReason")}
      </label>
      <textarea
        id={id}
        class="textarea"
        rows={2}
        dir="auto"
        maxLength={2000}
        placeholder={t("chat.declinePlaceholder")}
        value={reason}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
    </div>
  );
}

/** The agent's own account: one paragraph, or a line per step; always under its own name, apart from the figures. */
export function Account({ why }: { why: string }): JSX.Element {
  const lines = why.split("\n").filter((line) => line.trim());
  return (
    <section class="part why">
      <h3 class="part-title">{t("chat.account")}</h3>
      {lines.length > 1 ? (
        <ul class="why-lines">
          {lines.map((line, index) => (
            <li key={index}>
              <p dir="auto">
                <Verbatim text={line} />
              </p>
            </li>
          ))}
        </ul>
      ) : (
        <p dir="auto">
          <Verbatim text={why} />
        </p>
      )}
    </section>
  );
}

export function useExpired(at: string | null, watch: boolean): boolean {
  useTick(at && watch ? 15_000 : 0);
  return at !== null && Date.parse(at) <= Date.now();
}

export function Expiry({ at }: { at: string | null }): JSX.Element | null {
  if (!at) return null;
  const left = Date.parse(at) - Date.now();
  return (
    <time dateTime={at} title={moment(at)} class={left < 30 * 60_000 ? "warn" : undefined}>
      <Icon of={Clock} size={13} /> {left > 0 ? t("chat.expires", { span: span(left) }) : t("chat.expiredNow")}
    </time>
  );
}

function Closed({ item, expired, conflict }: { item: ApprovalItem; expired: boolean; conflict: string | null }): JSX.Element | null {
  const name = item.decidedBy ?? "";
  const words =
    item.state === "approved"
      ? name
        ? t("chat.approvedBy", { name })
        : t("chat.approved")
      : item.state === "declined"
        ? name
          ? t("chat.declinedBy", { name })
          : t("chat.declined")
        : item.state === "expired" || expired
          ? t("chat.expired")
          : item.state === "withdrawn"
            ? t("chat.withdrawn")
            : (conflict ?? (item.canDecide ? t("chat.cardChanged") : t("chat.reviewersDecide")));
  return (
    <footer class="act closed" role="status">
      <span class={`verdict verdict-${item.state}`}>
        <Icon of={item.state === "approved" ? Check : item.state === "declined" ? CircleSlash : Clock} size={14} />
        <bdi>{words}</bdi>
      </span>
      {item.reason ? (
        <q class="verdict-reason" dir="auto">
          <Verbatim text={item.reason} />
        </q>
      ) : null}
    </footer>
  );
}
