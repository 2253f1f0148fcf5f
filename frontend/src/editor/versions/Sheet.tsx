/** @jsxImportSource react */
import { X } from "lucide-react";
import { Dialog } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { t } from "../../shared/strings";

/** A wide dialog over the editor. */
export function Sheet({ title, side, onClose, children }: { title: string; side?: ReactNode; onClose: () => void; children: ReactNode }): ReactElement {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <div className="ed-sheet-shade" aria-hidden="true" />
        <Dialog.Content className="ed-sheet" aria-describedby={undefined}>
          <header className="ed-sheet-head">
            <Dialog.Title className="ed-sheet-title">{title}</Dialog.Title>
            {side}
            <Dialog.Close className="btn btn-ghost btn-icon" aria-label={t("versions.close")} title={t("versions.close")}>
              <X size={16} />
            </Dialog.Close>
          </header>
          <div className="ed-sheet-body">{children}</div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
