import { Fragment, type JSX } from "preact";
import { t } from "./strings";
import { mixedWords, visibleParts } from "./visible";

/** Text exactly as it is: hidden and reordering characters are drawn as their codes. */
export function Verbatim({ text }: { text: string }): JSX.Element {
  const parts = visibleParts(text);
  if (parts.length === 1 && parts[0] && "text" in parts[0]) return <bdi>{text}</bdi>;
  return (
    <bdi>
      {parts.map((part, index) =>
        "text" in part ? (
          <Fragment key={index}>{part.text}</Fragment>
        ) : (
          <span key={index} class="hidden-character" title={t("shared.hiddenCharacter", { code: part.code })}>
            ‹{part.code}›
          </span>
        ),
      )}
    </bdi>
  );
}

/** A note under text whose words mix look-alike alphabets. */
export function MixedNote({ text }: { text: string }): JSX.Element | null {
  const words = mixedWords(text);
  if (!words.length) return null;
  return (
    <small class="mixed-note">
      <bdi>{words.join(", ")}</bdi> {t("shared.mixed")}
    </small>
  );
}
