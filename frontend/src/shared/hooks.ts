import { useEffect, useState } from "preact/hooks";

/** Draws again every `ms`, for words that depend on the time. 0: never. */
export function useTick(ms: number): void {
  const [, set] = useState(0);
  useEffect(() => {
    if (!ms) return;
    const timer = setInterval(() => set((n) => n + 1), ms);
    return () => clearInterval(timer);
  }, [ms]);
}

export function useMedia(query: string): boolean {
  const [matches, set] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = () => set(list.matches);
    follow();
    list.addEventListener("change", follow);
    return () => list.removeEventListener("change", follow);
  }, [query]);
  return matches;
}

/** light or dark, as the page is drawn now: chosen on <html>, else the system's. */
export function useTheme(): "light" | "dark" {
  const system = useMedia("(prefers-color-scheme: dark)");
  const [chosen, set] = useState(document.documentElement.dataset.theme);
  useEffect(() => {
    const watch = new MutationObserver(() => set(document.documentElement.dataset.theme));
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => watch.disconnect();
  }, []);
  return chosen === "light" || chosen === "dark" ? chosen : system ? "dark" : "light";
}

/** The key under which something half typed is kept for the person whose page this is: whoever signs in after them in the same
 * tab neither sees it nor sends it as their own. */
export function ofPerson(key: string): string {
  return `${key} ${document.documentElement.dataset.person ?? ""}`;
}

/** A value kept for this tab under a key, across refreshes. A full or closed store is no reason to fail. */
export function readKept<T>(key: string): T | undefined {
  try {
    const text = sessionStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

export function keep(key: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // What was typed stays on the page; only a refresh would lose it.
  }
}
