/** @jsxImportSource react */
import { NodeResizer, type NodeProps } from "@xyflow/react";
import { memo, useEffect, useRef, useState, type ReactElement } from "react";
import { t } from "../../shared/strings";
import { editor } from "../store/editor";
import { useEditor } from "../store/state";
import type { NoteNode } from "./graph";

/** A comment on the canvas: read as it stands, written after a double click or Enter. */
export const Note = memo(function Note({ data: { comment }, selected }: NodeProps<NoteNode>): ReactElement {
  const canEdit = useEditor((state) => state.canEdit);
  const [writing, setWriting] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const fresh = useEditor((state) => state.selection.comment === comment.id) && comment.text === "";

  useEffect(() => {
    if (fresh && canEdit) setWriting(true);
  }, [fresh, canEdit]);
  useEffect(() => {
    if (writing) box.current?.focus();
  }, [writing]);

  const keep = () => {
    setWriting(false);
    const text = box.current?.value ?? comment.text;
    if (text !== comment.text) void editor.edit("", [{ op: "changeComment", id: comment.id, text }]);
  };
  return (
    <div className="ed-note" data-writing={writing || undefined} onDoubleClick={() => canEdit && setWriting(true)}>
      <NodeResizer
        isVisible={selected && canEdit}
        minWidth={120}
        minHeight={48}
        lineClassName="ed-resize-line"
        handleClassName="ed-resize"
        onResizeEnd={(_, { x, y, width, height }) => {
          void editor.edit("", [{ op: "changeComment", id: comment.id, x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) }]);
        }}
      />
      {writing ? (
        <textarea
          ref={box}
          className="ed-note-box nodrag nopan nowheel"
          aria-label={t("edit.comment.label")}
          defaultValue={comment.text}
          maxLength={8000}
          onBlur={keep}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) keep();
          }}
        />
      ) : (
        <p className="ed-note-text" dir="auto">
          {comment.text || t("edit.comment.empty")}
        </p>
      )}
    </div>
  );
});
