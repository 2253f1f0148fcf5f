import { Fragment, type JSX } from "preact";
import { t } from "./strings";
import { mixedWords, visibleParts } from "./visible";

/** Text exactly as it is: hidden and reordering characters are drawn as their codes. Its element says `dir="auto"` or is a
 * <bdi>: the text's own letters give its direction, and it reorders nothing around it. */
export function Verbatim({ text }: { text: string }): JSX.Element {
  const parts = visibleParts(text);
  return (
    <>
      {parts.map((part, index) =>
        "text" in part ? (
          <Fragment key={index}>{part.text}</Fragment>
        ) : (
          <span key={index} class="hidden-character" title={t("shared.hiddenCharacter", { code: part.code })}>
            ‹{part.code}›
          </span>
        ),
      )}
    </>
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
