import { Paperclip, Upload as UploadIcon, X } from "lucide";
import type { JSX } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { iconOf } from "./FileCard";
import { addressOf, asJson, fileOfDraft, showsAs, sizeOf, typeOf, type FileRef } from "./files";
import { GivenTo } from "./givento";
import { Icon } from "./Icon";
import { t } from "./strings";
import { takeBack, useUploads, type Sending } from "./useUpload";

interface SlotProps {
  id?: string;
  /** What the file is for, as people read it. */
  label: string;
  accept?: string;
  file: FileRef | undefined;
  sending: Sending | undefined;
  onChoose: (file: File) => void;
  /** Takes the file out, or stops sending it. */
  onRemove: () => void;
  disabled?: boolean;
  error?: boolean;
  describedBy?: string;
  /** A line of the composer, or a box of a form. */
  small?: boolean;
}

/** A place for one file: empty, being filled, or filled. */
export function FileSlot({ id, label, accept, file, sending, onChoose, onRemove, disabled, error, describedBy, small }: SlotProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const choose = (files: FileList | null | undefined) => {
    const first = files?.[0];
    if (first && !disabled) onChoose(first);
  };
  const filled = sending !== undefined || file !== undefined;
  return (
    <div
      class={`slot${small ? " slot-small" : ""}${filled ? " slot-filled" : ""}${over ? " slot-over" : ""}${error ? " slot-wrong" : ""}`}
      onDragOver={(event) => {
        if (disabled || !event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (disabled || !event.dataTransfer?.files.length) return;
        // The page hears of it too, which said where to drop.
        event.preventDefault();
        choose(event.dataTransfer.files);
      }}
      onPaste={(event) => {
        if (!event.clipboardData?.files.length) return;
        event.preventDefault();
        event.stopPropagation();
        choose(event.clipboardData.files);
      }}
    >
      <input
        ref={input}
        type="file"
        class="sr"
        tabIndex={-1}
        aria-hidden="true"
        accept={accept}
        disabled={disabled}
        onChange={(event) => {
          choose(event.currentTarget.files);
          event.currentTarget.value = "";
        }}
      />
      {sending ? (
        <span class="slot-file" role="status">
          <span class="slot-words">
            <bdi class="file-name">{sending.name}</bdi>
            <progress class="slot-progress" max={1} value={sending.part} aria-label={t("shared.fileSending", { name: sending.name })} />
          </span>
        </span>
      ) : file ? (
        <Filled file={file} />
      ) : (
        <button
          id={id}
          type="button"
          class="slot-choose"
          disabled={disabled}
          aria-label={small ? t("shared.fileAttach", { label }) : undefined}
          aria-describedby={describedBy}
          aria-invalid={error ? "true" : undefined}
          onClick={() => input.current?.click()}
        >
          <Icon of={small ? Paperclip : UploadIcon} size={small ? 15 : 18} />
          {small ? <span dir="auto">{label}</span> : <span>{t("shared.fileChoose")}</span>}
          {small || !accept ? null : <span class="slot-note">{accept.split(",").map((word) => word.trim()).join(", ")}</span>}
        </button>
      )}
      {filled ? (
        <button
          type="button"
          class="quiet-button slot-remove"
          disabled={disabled}
          aria-label={sending ? t("shared.fileStop", { name: sending.name }) : t("shared.fileRemove", { name: file?.name ?? label })}
          title={sending ? t("shared.fileStop", { name: sending.name }) : t("shared.fileRemove", { name: file?.name ?? label })}
          onClick={onRemove}
        >
          <Icon of={X} size={15} />
        </button>
      ) : null}
    </div>
  );
}

function Filled({ file }: { file: FileRef }): JSX.Element {
  const [broken, setBroken] = useState(false);
  return (
    <span class="slot-file">
      {showsAs(file) === "picture" && !broken ? (
        <img class="slot-look" src={addressOf(file)} alt="" onError={() => setBroken(true)} />
      ) : (
        <span class="file-icon">
          <Icon of={iconOf(file)} size={15} />
        </span>
      )}
      <span class="slot-words">
        <bdi class="file-name" title={file.name}>
          {file.name}
        </bdi>
        <span class="file-note">{t("shared.fileNote", { type: typeOf(file), size: sizeOf(file.bytes) })}</span>
      </span>
    </span>
  );
}

interface BoxProps {
  id: string;
  name: string;
  label: string;
  accept?: string;
  draft: string;
  onChange: (draft: string) => void;
  disabled?: boolean;
  error?: boolean;
  describedBy?: string;
}

/** The box of a form's field that is a file. */
export function FileBox({ id, name, label, accept, draft, onChange, disabled, error, describedBy }: BoxProps): JSX.Element {
  const to = useContext(GivenTo);
  const file = fileOfDraft(draft);
  const uploads = useUploads(to?.path ?? (() => ""), (_, ref) => onChange(JSON.stringify(asJson(ref))));
  const sends = uploads.sending[name]?.name;
  useEffect(() => {
    to?.onSending(id, sends);
    return () => to?.onSending(id, undefined);
  }, [id, sends]);
  if (!to) return <p class="help">{t("shared.filesNowhere")}</p>;
  const refused = uploads.errors[name];
  return (
    <>
      <FileSlot
        id={id}
        label={label}
        accept={accept}
        file={file}
        sending={uploads.sending[name]}
        disabled={disabled}
        error={error || Boolean(refused)}
        describedBy={[describedBy, refused ? `${id}-refused` : ""].filter(Boolean).join(" ") || undefined}
        onChoose={(chosen) => uploads.start(name, chosen)}
        onRemove={() => {
          uploads.stop(name);
          if (file) takeBack(file);
          onChange("");
        }}
      />
      {refused ? (
        <p id={`${id}-refused`} class="error" role="alert" dir="auto">
          {refused}
        </p>
      ) : null}
    </>
  );
}
