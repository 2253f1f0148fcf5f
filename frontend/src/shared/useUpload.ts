import { useEffect, useRef, useState } from "preact/hooks";
import { asApiError, remove } from "./api";
import { addressOf, type FileRef } from "./files";
import { Stopped, upload, type Upload } from "./upload";

/** A file on its way. part: how much of it is there, from 0 to 1. */
export interface Sending {
  name: string;
  part: number;
}

export interface Uploads {
  sending: { [input: string]: Sending };
  errors: { [input: string]: string };
  start: (input: string, file: File) => void;
  stop: (input: string) => void;
}

function without<T>(all: { [name: string]: T }, name: string): { [name: string]: T } {
  return Object.fromEntries(Object.entries(all).filter(([other]) => other !== name));
}

/** Sends files, one for each input at a time. `path` names the address for an input; `onDone` takes what came of it. */
export function useUploads(path: (input: string) => string, onDone: (input: string, file: FileRef) => void): Uploads {
  const [sending, setSending] = useState<{ [input: string]: Sending }>({});
  const [errors, setErrors] = useState<{ [input: string]: string }>({});
  const under = useRef(new Map<string, Upload>());
  const tell = useRef(onDone);
  tell.current = onDone;
  useEffect(
    () => () => {
      const left = [...under.current.values()];
      // Nobody is told of them any more, though one has just arrived.
      under.current.clear();
      for (const one of left) one.stop();
    },
    [],
  );

  const start = (input: string, file: File) => {
    under.current.get(input)?.stop();
    setErrors((all) => without(all, input));
    setSending((all) => ({ ...all, [input]: { name: file.name, part: 0 } }));
    const one = upload(path(input), file, (part) => setSending((all) => (all[input] ? { ...all, [input]: { name: file.name, part } } : all)));
    under.current.set(input, one);
    const mine = () => under.current.get(input) === one;
    one.done
      .then(
        (ref) => mine() && tell.current(input, ref),
        (thrown: unknown) => {
          if (!(thrown instanceof Stopped) && mine()) setErrors((all) => ({ ...all, [input]: asApiError(thrown).message }));
        },
      )
      .finally(() => {
        if (!mine()) return;
        under.current.delete(input);
        setSending((all) => without(all, input));
      });
  };
  const stop = (input: string) => {
    under.current.get(input)?.stop();
    under.current.delete(input);
    setSending((all) => without(all, input));
    setErrors((all) => without(all, input));
  };
  return { sending, errors, start, stop };
}

/** Takes a file back that was sent and is not wanted; the server keeps what a message brought already. */
export function takeBack(file: FileRef): void {
  void remove(`/api${addressOf(file)}`).catch(() => undefined);
}
