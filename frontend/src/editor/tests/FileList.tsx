/** @jsxImportSource react */
import { FilePen, MoreHorizontal, Play, Trash2 } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useState, type ReactElement } from "react";
import type { TestFile } from "../../generated/tests";
import { asApiError } from "../../shared/api";
import { t } from "../../shared/strings";
import { duration } from "../../shared/time";
import { Modal } from "../panel/Modal";
import { editor } from "../store/editor";
import { useEditor } from "../store/state";
import { removeFile } from "./file";
import type { Opening } from "./FileDialog";
import { keyOf, openTest, readFiles, start, tests } from "./kept";
import { Mark } from "./Mark";
import { useBusy } from "./TestsPane";

/** `tests/greets.test.json` as people say it. */
const called = (path: string): string => path.replace(/^tests\//, "").replace(/\.test\.json$/, "");

interface FilesProps {
  files: TestFile[];
  onEdit: (opening: Opening) => void;
}

export function FileList({ files, onEdit }: FilesProps): ReactElement {
  const [going, setGoing] = useState<TestFile | null>(null);
  return (
    <div className="ed-tests-files">
      {files.map((file) => (
        <File key={file.path} file={file} onEdit={onEdit} onRemove={() => setGoing(file)} />
      ))}
      {going ? <Removing file={going} onClose={() => setGoing(null)} /> : null}
    </div>
  );
}

function File({ file, onEdit, onRemove }: { file: TestFile; onEdit: (opening: Opening) => void; onRemove: () => void }): ReactElement {
  const canEdit = useEditor((state) => state.canEdit);
  const busy = useBusy();
  const errors = file.problems.filter((one) => one.level === "error").length;
  const problems = file.problems.length;
  const edit = (line = 1) => onEdit({ path: file.path, line });
  return (
    <section className="ed-tests-file" aria-label={file.path}>
      <header>
        <h3 className="ed-tests-name" title={file.path}>
          <button type="button" onClick={() => edit()} aria-label={t("tests.file.edit", { file: file.path })}>
            <bdi>{called(file.path)}</bdi>
          </button>
        </h3>
        {problems ? (
          <button type="button" className={`badge badge-round ${errors ? "badge-bad" : "badge-warn"}`} onClick={() => edit()}>
            {t("tests.file.problems", { count: problems })}
          </button>
        ) : null}
        {canEdit ? (
          <>
            {file.tests.length ? (
              <button
                type="button"
                className="btn btn-ghost btn-icon btn-small"
                disabled={busy}
                aria-label={t("tests.runFile", { file: file.path })}
                title={t("tests.runFile", { file: called(file.path) })}
                onClick={() => void start({ paths: [file.path] })}
              >
                <Play size={13} />
              </button>
            ) : null}
            <DropdownMenu.Root modal={false}>
              <DropdownMenu.Trigger className="btn btn-ghost btn-icon btn-small" aria-label={t("tests.file.more", { file: file.path })} title={t("tests.file.more", { file: called(file.path) })}>
                <MoreHorizontal size={15} />
              </DropdownMenu.Trigger>
              <DropdownMenu.Portal>
                <DropdownMenu.Content className="ed-menu" align="end" sideOffset={4}>
                  <DropdownMenu.Item className="menu-item" onSelect={() => edit()}>
                    <FilePen size={15} />
                    {t("tests.edit")}
                  </DropdownMenu.Item>
                  <DropdownMenu.Item className="menu-item" onSelect={onRemove}>
                    <Trash2 size={15} />
                    {t("tests.file.remove")}
                  </DropdownMenu.Item>
                </DropdownMenu.Content>
              </DropdownMenu.Portal>
            </DropdownMenu.Root>
          </>
        ) : null}
      </header>
      {file.tests.length ? (
        <ol className="ed-tests-list">
          {file.tests.map((test, at) => (
            <Row key={`${at} ${test.name}`} file={file} name={test.name} busy={busy} onEdit={() => edit(test.line)} />
          ))}
        </ol>
      ) : (
        <p className="ed-tests-none">{t(errors ? "tests.file.unreadable" : "tests.file.none")}</p>
      )}
    </section>
  );
}

function Row({ file, name, busy, onEdit }: { file: TestFile; name: string; busy: boolean; onEdit: () => void }): ReactElement {
  const key = keyOf(file.path, name);
  const canEdit = useEditor((state) => state.canEdit);
  const found = tests((state) => state.found.get(key));
  const result = found?.result;
  const first = result?.failures[0]?.message ?? result?.error?.message;
  return (
    <li className="ed-test">
      <button type="button" className="ed-run-row ed-test-open" data-key={key} data-state={result?.state ?? "none"} onClick={() => (result ? openTest(key) : onEdit())}>
        <Mark found={found} />
        <span className="ed-run-words">
          <bdi className="ed-test-name">{name}</bdi>
          {result && result.state !== "passed" && first ? (
            <span className="ed-run-more" dir="auto">
              {first}
            </span>
          ) : null}
        </span>
        {result && result.state !== "running" ? <span className="ed-run-end num">{duration(result.ms)}</span> : null}
      </button>
      {canEdit ? (
        <button
          type="button"
          className="btn btn-ghost btn-icon btn-small ed-test-run"
          disabled={busy}
          aria-label={t("tests.runOne", { name })}
          title={t("tests.runOne", { name })}
          onClick={() => void start({ paths: [file.path], names: [name] })}
        >
          <Play size={13} />
        </button>
      ) : null}
    </li>
  );
}

function Removing({ file, onClose }: { file: TestFile; onClose: () => void }): ReactElement {
  const [words, setWords] = useState("");
  const remove = async () => {
    try {
      await removeFile(file.path, file.sha);
      editor.notify(t("tests.file.removed", { file: called(file.path) }), [], false);
      await readFiles();
      onClose();
    } catch (thrown) {
      setWords(asApiError(thrown).message);
    }
  };
  const count = file.tests.length;
  return (
    <Modal
      small
      title={t("tests.file.removeTitle", { file: called(file.path) })}
      onClose={onClose}
      foot={
        <>
          <span className="grow" />
          <button type="button" className="btn" onClick={onClose}>
            {t("tests.file.removeNo")}
          </button>
          <button type="button" className="btn btn-danger" onClick={() => void remove()}>
            {t("tests.file.removeYes")}
          </button>
        </>
      }
    >
      <p>{count ? t("tests.file.removeLead", { count }) : t("tests.file.removeLeadNone")}</p>
      {words ? (
        <p className="error" role="alert">
          {words}
        </p>
      ) : null}
    </Modal>
  );
}
