import { Check, Copy } from "lucide";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "./Icon";
import { t } from "./strings";

/** Copies the text, and says so for a moment. */
export function CopyButton({ text, label }: { text: string; label?: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copyBySelection(text);
    }
    setCopied(true);
  };
  const words = copied ? t("shared.copied") : (label ?? t("shared.copy"));
  return (
    <button type="button" class="quiet-button" onClick={copy} aria-label={words} title={words}>
      <Icon of={copied ? Check : Copy} size={14} />
    </button>
  );
}

/** Where the clipboard is closed (plain http): a selection and the old command. */
function copyBySelection(text: string): void {
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  area.className = "sr";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
