import { Download, File as FileIcon, FileText, Film, Image as ImageIcon, Music } from "lucide";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { addressOf, showsAs, sizeOf, typeOf, type FileRef, type Shows } from "./files";
import { Icon } from "./Icon";
import { t } from "./strings";
import { Verbatim } from "./Words";

const ICONS = { picture: ImageIcon, sound: Music, film: Film, document: FileText };

export const iconOf = (file: FileRef) => (file.mediaType === "application/octet-stream" ? FileIcon : ICONS[showsAs(file)]);

/** A file as it is: a picture to look at, a recording to play, anything else to save. What a browser cannot show after all
 * is a document. */
export function FileCard({ file, verbatim }: { file: FileRef; verbatim?: boolean }): JSX.Element {
  const [shown, setShown] = useState<Shows>(showsAs(file));
  const address = addressOf(file);
  const fail = () => setShown("document");
  return (
    <figure class={`file file-${shown}`} data-file={file.id}>
      {shown === "picture" ? (
        <a class="file-look" href={address} target="_blank" rel="noopener" aria-label={t("shared.fileOpen", { name: file.name })}>
          <img src={address} alt={file.name} loading="lazy" decoding="async" onError={fail} />
        </a>
      ) : shown === "sound" ? (
        <audio controls preload="metadata" src={address} aria-label={file.name} onError={fail} />
      ) : shown === "film" ? (
        <video controls preload="metadata" src={address} aria-label={file.name} onError={fail} />
      ) : null}
      <figcaption class="file-row">
        <span class="file-icon">
          <Icon of={iconOf(file)} />
        </span>
        <span class="file-words">
          <span class="file-name" title={file.name}>
            <bdi>{verbatim ? <Verbatim text={file.name} /> : file.name}</bdi>
          </span>
          <span class="file-note">{t("shared.fileNote", { type: typeOf(file), size: sizeOf(file.bytes) })}</span>
        </span>
        <a
          class="quiet-button file-save"
          href={`${address}?download=1`}
          download={file.name}
          aria-label={t("shared.fileDownload", { name: file.name })}
          title={t("shared.fileDownload", { name: file.name })}
        >
          <Icon of={Download} size={15} />
        </a>
      </figcaption>
    </figure>
  );
}
