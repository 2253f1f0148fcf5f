import type { JSX } from "preact";
import { t } from "./strings";

/** Leads back to this very page after the sign-in. */
export function SignInLink(): JSX.Element {
  return (
    <a class="link" href={`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`}>
      {t("shared.signIn")}
    </a>
  );
}
