import type { JSX } from "preact";
import { useEffect, useRef, type MutableRef } from "preact/hooks";
import { asJson, fileOfDraft, mayTake } from "../shared/files";
import { labelOfField, type Draft, type Fields } from "../shared/fields";
import { FileSlot } from "../shared/FileBox";
import { t } from "../shared/strings";
import { takeBack, useUploads, type Uploads } from "../shared/useUpload";

type Drafts = { [name: string]: Draft };

/** What the composer asks of its attachments. */
export interface FileDesk {
  /** Gives files that were pasted. */
  attach: (files: File[]) => void;
  /** The name of a file that is still on its way. */
  waits: () => string | undefined;
}

export interface Placed {
  places: [string, File][];
  /** Why some were left, in words. */
  left: string | null;
}

/** Which file goes where: each into the first free place that takes it. One place alone takes the newest. */
export function place(files: Fields, drafts: Drafts, uploads: Uploads, given: File[]): Placed {
  const names = Object.keys(files);
  const free = new Set(names.filter((name) => !fileOfDraft(drafts[name]) && !uploads.sending[name]));
  const places: [string, File][] = [];
  let left: string | null = null;
  for (const file of given) {
    const fitting = names.filter((name) => mayTake(files[name]!.accept, file));
    const taken = new Set(places.map(([name]) => name));
    const name = fitting.find((each) => free.has(each) && !taken.has(each)) ?? (fitting.length === 1 && given.length === 1 ? fitting[0] : undefined);
    if (name !== undefined) places.push([name, file]);
    else left ??= fitting.length ? t("chat.filesFull", { name: file.name }) : t("chat.fileNotTaken", { name: file.name });
  }
  return { places, left };
}

interface Props {
  files: Fields;
  drafts: Drafts;
  errors: Record<string, string>;
  /** Where they are sent to. */
  path: string;
  desk: MutableRef<FileDesk | null>;
  onFill: (name: string, draft: string) => void;
  onSay: (words: string | null) => void;
  onRemoved: () => void;
}

/** The files that go with the next message: a place for each that the flow takes. */
export function Attachments({ files, drafts, errors, path, desk, onFill, onSay, onRemoved }: Props): JSX.Element {
  const uploads = useUploads(
    (input) => `${path}?input=${encodeURIComponent(input)}`,
    (input, file) => onFill(input, JSON.stringify(asJson(file))),
  );
  const attach = (given: File[]) => {
    const { places, left } = place(files, drafts, uploads, given);
    for (const [name, file] of places) uploads.start(name, file);
    onSay(left);
  };
  const mine = useRef<FileDesk | null>(null);
  mine.current = desk.current = { attach, waits: () => Object.values(uploads.sending)[0]?.name };
  useEffect(
    () => () => {
      // The next conversation's attachments are there before these go.
      if (desk.current === mine.current) desk.current = null;
    },
    [],
  );
  const take = (name: string) => {
    uploads.stop(name);
    const file = fileOfDraft(drafts[name]);
    if (file) takeBack(file);
    onFill(name, "");
    onRemoved();
  };
  return (
    <ul class="attachments" aria-label={t("chat.attachments")}>
      {Object.entries(files).map(([name, field]) => {
        const wrong = uploads.errors[name] ?? errors[name];
        const id = `attach-${name}`;
        return (
          <li key={name} data-input={name}>
            <FileSlot
              small
              id={id}
              label={labelOfField(name, field)}
              accept={field.accept}
              file={fileOfDraft(drafts[name])}
              sending={uploads.sending[name]}
              error={Boolean(wrong)}
              describedBy={wrong ? `${id}-error` : undefined}
              onChoose={(file) => uploads.start(name, file)}
              onRemove={() => take(name)}
            />
            {wrong ? (
              <p id={`${id}-error`} class="error" role="alert" dir="auto">
                {wrong}
              </p>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}
