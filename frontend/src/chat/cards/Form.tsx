import { Check, CircleSlash } from "lucide";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FormItem } from "../../generated/frames";
import { asFields, draftsOf, valuesOf, type Draft } from "../../shared/fields";
import { Fields } from "../../shared/Fields";
import { GivenTo, type Desk } from "../../shared/givento";
import { keep, ofPerson, readKept } from "../../shared/hooks";
import { Icon } from "../../shared/Icon";
import { t } from "../../shared/strings";
import { Pairs } from "../../shared/Value";
import { useDecision, type Decide } from "./useDecision";

export interface FormProps {
  item: FormItem;
  decide: Decide;
  variant?: "chat" | "page";
}

type Drafts = { [name: string]: Draft };

/** Fields a person fills in. What was typed stays through a refusal, a lost connection and a refresh, until it was taken. */
export function Form({ item, decide, variant = "chat" }: FormProps): JSX.Element {
  const fields = asFields(item.fields);
  const store = ofPerson(`form:${item.question}`);
  const [drafts, setDrafts] = useState<Drafts>(() => ({ ...draftsOf(fields, item.values), ...readKept<Drafts>(store) }));
  const deciding = useDecision(item.digest, decide);
  const box = useRef<HTMLFormElement>(null);
  const under = useRef(new Map<string, string>());
  const [waits, setWaits] = useState<string | null>(null);
  const givenTo = useMemo<Desk>(
    () => ({
      path: (field) => `/api/questions/${item.question}/files?input=${encodeURIComponent(field)}`,
      onSending: (box, name) => {
        if (name === undefined) under.current.delete(box);
        else under.current.set(box, name);
        if (!under.current.size) setWaits(null);
      },
    }),
    [item.question],
  );
  const pending = item.state === "pending" && !deciding.conflict;
  const errors = deciding.error?.fields ?? {};

  useEffect(() => {
    if (item.state !== "pending") keep(store, undefined);
  }, [item.state]);

  useEffect(() => {
    if (!Object.keys(errors).length) return;
    box.current?.querySelector<HTMLElement>('[aria-invalid="true"], .field:has(> .error) :is(input, select, textarea, button)')?.focus();
  }, [deciding.error]);

  if (!pending) return <ClosedForm item={item} conflict={deciding.conflict ? deciding.error!.message : null} variant={variant} />;

  const change = (next: Drafts) => {
    setDrafts(next);
    keep(store, next);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    // An answer that went before its file would lose it.
    const [name] = under.current.values();
    if (name !== undefined) return setWaits(name);
    void deciding.run({ decision: "answer", values: valuesOf(fields, drafts) });
  };
  const known = Object.keys(errors).length;
  return (
    <form
      ref={box}
      class={`form-card form-card-${variant}`}
      data-question={item.question}
      tabIndex={-1}
      noValidate
      onSubmit={submit}
      aria-label={item.title}
    >
      {variant === "chat" ? (
        <h3 class="form-title" dir="auto">
          {item.title}
        </h3>
      ) : null}
      {item.why ? (
        <p class="form-why" dir="auto">
          {item.why}
        </p>
      ) : null}
      <div class="form-fields">
        <GivenTo.Provider value={givenTo}>
          <Fields fields={fields} drafts={drafts} errors={errors} onChange={change} disabled={deciding.busy !== null} />
        </GivenTo.Provider>
      </div>
      <div class="form-acts">
        <button type="submit" class="btn btn-primary" disabled={deciding.busy !== null} aria-busy={deciding.busy === "answer"}>
          {t("chat.formSubmit")}
        </button>
        <button
          type="button"
          class="btn btn-ghost"
          disabled={deciding.busy !== null}
          aria-busy={deciding.busy === "close"}
          onClick={() => void deciding.run({ decision: "close" })}
        >
          {t("chat.formClose")}
        </button>
        {waits !== null ? (
          <p class="form-error" role="alert">
            {t("chat.fileWaits", { name: waits })}
          </p>
        ) : deciding.error ? (
          <p class="form-error" role="alert">
            {errors[""] ?? (known ? t("chat.formRefused") : deciding.error.message)}
          </p>
        ) : null}
      </div>
    </form>
  );
}

function ClosedForm({ item, conflict, variant }: { item: FormItem; conflict: string | null; variant: string }): JSX.Element {
  const sent = item.state === "answered" || item.state === "approved";
  return (
    <div class={`form-card form-card-${variant} form-closed`} data-state={item.state}>
      {variant === "chat" ? (
        <h3 class="form-title" dir="auto">
          {item.title}
        </h3>
      ) : null}
      {item.answerShown.length ? (
        <div class="form-shown">
          <Pairs pairs={item.answerShown} />
        </div>
      ) : null}
      <p class={sent ? "form-state form-sent" : "form-state"}>
        <Icon of={sent ? Check : CircleSlash} size={14} />
        {sent
          ? t("chat.formSent")
          : item.state === "pending"
            ? (conflict ?? "")
            : item.state === "expired"
              ? t("chat.expired")
              : item.state === "withdrawn"
                ? t("chat.withdrawn")
                : t("chat.formClosed")}
      </p>
    </div>
  );
}
