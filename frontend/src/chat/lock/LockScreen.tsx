import { KeyRound, Lock as LockIcon } from "lucide";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Agent, Here, Lock, Person } from "../../generated/wire";
import { asApiError, csrfToken, get, post } from "../../shared/api";
import { Icon } from "../../shared/Icon";
import { t } from "../../shared/strings";

export interface LockScreenProps {
  agent: Pick<Agent, "name">;
  person: Pick<Person, "name">;
  lock: Lock;
  /** The person is there again: the page is drawn anew. */
  onOpen: () => void;
}

const here = (): string => location.pathname + location.search;
const signIn = (): void => location.assign(`/sign-in?next=${encodeURIComponent(here())}`);

/** In place of the whole conversation: whose session this is, and how they go on. */
export function LockScreen({ agent, person, lock, onOpen }: LockScreenProps): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const box = useRef<HTMLInputElement>(null);

  useEffect(() => box.current?.focus(), []);
  useEffect(() => {
    // Unlocked on another page meanwhile, or used there until a moment ago.
    const look = async () => {
      if (document.visibilityState !== "visible") return;
      try {
        if ((await get<Here>("/api/presence")).seconds > 0) onOpen();
      } catch (thrown) {
        if (asApiError(thrown).code === "SIGNED_OUT") signIn();
      }
    };
    void look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);

  const open = async (event: Event) => {
    event.preventDefault();
    const password = box.current?.value ?? "";
    if (busy) return;
    if (!password) {
      setProblem(t("lock.missing"));
      return box.current?.focus();
    }
    setBusy(true);
    try {
      await post<Here>("/api/unlock", { password });
      return onOpen();
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.code === "SIGNED_OUT") return signIn();
      setProblem(error.fields.password ?? error.message);
    }
    setBusy(false);
    if (box.current) {
      box.current.value = "";
      box.current.focus();
    }
  };
  return (
    <main class="alone" data-locked>
      <section class="alone-card" aria-labelledby="lock-title">
        <div class="stack">
          <p class="row strong">
            <bdi>{agent.name}</bdi>
          </p>
          <h1 class="title row" id="lock-title">
            <Icon of={LockIcon} size={18} />
            {t("lock.title")}
          </h1>
          <p class="lead">{t("lock.lead", { count: lock.minutes })}</p>
        </div>
        <p class="small break">
          {t("lock.signedInAs")}{" "}
          <strong>
            <bdi>{person.name}</bdi>
          </strong>{" "}
          <span class="muted">
            <bdi>{lock.email}</bdi>
          </span>
        </p>
        {lock.password ? (
          <form class="form" onSubmit={open} noValidate>
            <input type="text" name="username" autocomplete="username" value={lock.email} readOnly hidden />
            <div class="field">
              <label class="label" for="lock-password">
                {t("lock.password")}
              </label>
              <input
                ref={box}
                class="input"
                id="lock-password"
                type="password"
                autocomplete="current-password"
                maxLength={512}
                aria-invalid={problem ? true : undefined}
                aria-describedby={problem ? "lock-problem" : undefined}
              />
              {problem ? (
                <p class="error" id="lock-problem" role="alert">
                  <span>{problem}</span>
                </p>
              ) : null}
            </div>
            <button type="submit" class="btn btn-primary btn-large btn-block" disabled={busy} aria-busy={busy}>
              {t(busy ? "lock.opening" : "lock.open")}
            </button>
          </form>
        ) : lock.signIn ? null : (
          <p class="notice">{t("lock.none")}</p>
        )}
        {lock.signIn ? (
          <a class="btn btn-large btn-block" href={backHere(lock.signIn.href)}>
            <Icon of={KeyRound} />
            {t("lock.with", { name: lock.signIn.name })}
          </a>
        ) : null}
        <form method="post" action="/sign-out">
          <input type="hidden" name="csrfmiddlewaretoken" value={csrfToken()} />
          <input type="hidden" name="next" value={here()} />
          <button class="btn btn-ghost btn-block">{t("lock.other")}</button>
        </form>
      </section>
    </main>
  );
}

/** The page may be another conversation by now than the one that it was opened with. */
function backHere(href: string): string {
  const url = new URL(href, location.href);
  url.searchParams.set("next", here());
  return url.pathname + url.search;
}
