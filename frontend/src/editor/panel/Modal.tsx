/** @jsxImportSource react */
import { X } from "lucide-react";
import { useEffect, useId, useRef, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { t } from "../../shared/strings";

interface ModalProps {
  title: ReactNode;
  onClose: () => void;
  foot: ReactNode;
  children: ReactNode;
  /** A question, not a page. */
  small?: boolean;
}

/** A large dialog over the page. Escape asks to close it. */
export function Modal({ title, onClose, foot, children, small = false }: ModalProps): ReactNode {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return createPortal(
    <dialog
      ref={element}
      className={small ? "dialog ed-modal-small" : "dialog ed-modal"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div className="dialog-head">
        <h2 id={id} className="heading grow ed-modal-title">
          {title}
        </h2>
        <button type="button" className="btn btn-ghost btn-icon" aria-label={t("panel.code.close")} onClick={onClose}>
          <X size={16} aria-hidden="true" />
        </button>
      </div>
      <div className="ed-modal-body">{children}</div>
      <div className="dialog-foot">{foot}</div>
    </dialog>,
    document.body,
  );
}
