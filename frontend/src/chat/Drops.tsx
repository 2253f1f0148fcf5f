import { CircleSlash, Paperclip } from "lucide";
import type { JSX } from "preact";
import { useEffect, useState, type MutableRef } from "preact/hooks";
import { Icon } from "../shared/Icon";
import { t } from "../shared/strings";
import type { FileDesk } from "./Attachments";

/** How long the page says that a file was left. */
const SAID = 8000;

interface Props {
  /** Where files go with the next message; nowhere while there is none. */
  desk: MutableRef<FileDesk | null>;
  /** Whether the agent takes files at all. */
  ever: boolean;
}

/** Files dropped anywhere on the page go with the message; the page says so while they hang over it. One that is taken
 * nowhere is left with a word: a browser would go to the file, away from everything that is typed. */
export function Drops({ desk, ever }: Props): JSX.Element | null {
  const [over, setOver] = useState(false);
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const brings = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const hang = (event: DragEvent) => {
      if (!brings(event)) return;
      // A place of its own says itself that it takes the file.
      setOver(!event.defaultPrevented || desk.current !== null);
      event.preventDefault();
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (event.defaultPrevented || !brings(event)) return;
      event.preventDefault();
      if (desk.current) desk.current.attach(Array.from(event.dataTransfer?.files ?? []));
      else setLeft((n) => n + 1);
    };
    addEventListener("dragover", hang);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", hang);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  useEffect(() => {
    if (!left) return;
    const timer = setTimeout(() => setLeft(0), SAID);
    return () => clearTimeout(timer);
  }, [left]);
  const takes = desk.current !== null;
  return (
    <>
      {left ? (
        <p class="composer-nudge" role="status">
          {t(ever ? "chat.droppedNotNow" : "chat.droppedNowhere")}
        </p>
      ) : null}
      {over ? (
        <div class={takes ? "chat-drop" : "chat-drop chat-drop-none"} aria-hidden="true">
          <span>
            <Icon of={takes ? Paperclip : CircleSlash} size={18} />
            {t(takes ? "chat.dropHere" : ever ? "chat.dropNotNow" : "chat.dropNowhere")}
          </span>
        </div>
      ) : null}
    </>
  );
}
