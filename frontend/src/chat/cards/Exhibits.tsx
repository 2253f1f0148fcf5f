import { CircleSlash, Download, ExternalLink, FileText, Image } from "lucide";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Exhibit } from "../../generated/frames";
import type { ExhibitsNow } from "../../generated/wire";
import { get } from "../../shared/api";
import { addressOf, showsAs, sizeOf, typeOf } from "../../shared/files";
import { Icon } from "../../shared/Icon";
import { t } from "../../shared/strings";
import { Verbatim } from "../../shared/Words";

/** How long a document may be lost before a card that is being read says so. */
const EVERY = 10_000;

/** The documents behind the decision, apart from its figures and from the agent's account. One that will not open is listed
 * like the others, and says so. `pending`: somebody may still decide, so it says so as soon as it happens. */
export function Exhibits({ question, exhibits, pending }: { question: string; exhibits: Exhibit[]; pending: boolean }): JSX.Element {
  const { lost, look } = useLost(question, pending);
  return (
    <section class="part exhibits">
      <h3 class="part-title">{t("chat.exhibits")}</h3>
      <ul class="exhibit-list">
        {exhibits.map((one) => (
          <Document key={one.channel} exhibit={one} lost={lost ? lost.includes(one.channel) : one.lost} pending={pending} onOpen={look} />
        ))}
      </ul>
    </section>
  );
}

/** The channels whose documents went since the card was drawn; null until the server was asked. */
function useLost(question: string, watch: boolean): { lost: string[] | null; look: () => void } {
  const [lost, setLost] = useState<string[] | null>(null);
  const look = () => {
    get<ExhibitsNow>(`/api/questions/${question}/exhibits`).then(
      (now) => setLost(now.lost),
      () => undefined, // Of a lost connection the page speaks itself.
    );
  };
  useEffect(() => {
    if (!watch) return;
    const lookAgain = () => {
      if (!document.hidden) look();
    };
    const timer = setInterval(lookAgain, EVERY);
    // Whoever read a document in another tab comes back to decide.
    addEventListener("focus", lookAgain);
    document.addEventListener("visibilitychange", lookAgain);
    return () => {
      clearInterval(timer);
      removeEventListener("focus", lookAgain);
      document.removeEventListener("visibilitychange", lookAgain);
    };
  }, [question, watch]);
  return { lost, look };
}

interface DocumentProps {
  exhibit: Exhibit;
  lost: boolean;
  pending: boolean;
  onOpen: () => void;
}

function Document({ exhibit, lost, pending, onOpen }: DocumentProps): JSX.Element {
  const { id, name, label, sha256 } = exhibit;
  const opens = (exhibit.opens || exhibit.lost) && !lost;
  const address = addressOf(exhibit);
  return (
    <li class="exhibit" data-opens={opens}>
      <span class="exhibit-icon">
        <Icon of={!opens ? CircleSlash : showsAs(exhibit) === "picture" ? Image : FileText} />
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
      </div>
      {opens && id ? (
        <span class="exhibit-acts" onClick={onOpen}>
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
      {sha256 ? (
        <span class="exhibit-print">
          {t("chat.exhibitPrint")} <code>{sha256}</code>
        </span>
      ) : null}
      <span role="status">{opens ? null : <span class="exhibit-closed">{t(lost && pending ? "chat.exhibitLost" : "chat.exhibitClosed")}</span>}</span>
    </li>
  );
}
