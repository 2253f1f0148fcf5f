import { CircleSlash, Download, ExternalLink, FileText } from "lucide";
import type { JSX } from "preact";
import type { Exhibit } from "../../generated/frames";
import { addressOf, showsAs, sizeOf, typeOf } from "../../shared/files";
import { Icon } from "../../shared/Icon";
import { t } from "../../shared/strings";
import { Verbatim } from "../../shared/Words";

/** The documents behind the decision, apart from its figures and from the agent's account. One that will not open is listed
 * like the others, and says so. */
export function Exhibits({ exhibits }: { exhibits: Exhibit[] }): JSX.Element {
  return (
    <section class="part exhibits">
      <h3 class="part-title">{t("chat.exhibits")}</h3>
      <ul class="exhibit-list">
        {exhibits.map((one) => (
          <Document key={one.channel} exhibit={one} />
        ))}
      </ul>
    </section>
  );
}

function Document({ exhibit }: { exhibit: Exhibit }): JSX.Element {
  const { id, name, label, sha256, opens } = exhibit;
  const address = addressOf(exhibit);
  return (
    <li class="exhibit" data-opens={opens}>
      <span class="exhibit-icon">
        <Icon of={opens ? FileText : CircleSlash} />
      </span>
      <div class="exhibit-words">
        <span class="exhibit-label" dir="auto">
          {label}
        </span>
        <bdi class="exhibit-name">
          <Verbatim text={name} />
        </bdi>
        <span class="exhibit-note">
          {t("shared.fileNote", { type: typeOf(exhibit), size: sizeOf(exhibit.bytes) })} <span class="exhibit-type">{exhibit.mediaType}</span>
        </span>
        {sha256 ? (
          <span class="exhibit-print">
            {t("chat.exhibitPrint")} <code>{sha256}</code>
          </span>
        ) : null}
        {opens ? null : <span class="exhibit-closed">{t("chat.exhibitClosed")}</span>}
      </div>
      {opens && id ? (
        <span class="exhibit-acts">
          {showsAs(exhibit) === "document" ? null : (
            <a class="quiet-button" href={address} target="_blank" rel="noopener" aria-label={t("shared.fileOpen", { name })} title={t("shared.fileOpen", { name })}>
              <Icon of={ExternalLink} size={15} />
            </a>
          )}
          <a class="quiet-button" href={`${address}?download=1`} download={name} aria-label={t("shared.fileDownload", { name })} title={t("shared.fileDownload", { name })}>
            <Icon of={Download} size={15} />
          </a>
        </span>
      ) : null}
    </li>
  );
}
