/** The place at which two texts differ, with a little of what stands around it. */
export interface Part {
  before: string;
  old: string;
  now: string;
  after: string;
}

const AROUND = 40;

/** The shortest single part that was replaced, whole words of it. */
export function part(old: string, now: string): Part {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  while (start > 0 && /\S/.test(old[start - 1] ?? "") && (/\S/.test(old[start] ?? "") || /\S/.test(now[start] ?? ""))) start -= 1;
  while (end > 0 && /\S/.test(old[old.length - end] ?? "") && (/\S/.test(old[old.length - end - 1] ?? "") || /\S/.test(now[now.length - end - 1] ?? ""))) end -= 1;
  const head = old.slice(0, start);
  const tail = end ? old.slice(old.length - end) : "";
  return {
    before: head.length > AROUND ? `…${head.slice(-AROUND)}` : head,
    old: old.slice(start, old.length - end),
    now: now.slice(start, now.length - end),
    after: tail.length > AROUND ? `${tail.slice(0, AROUND)}…` : tail,
  };
}
