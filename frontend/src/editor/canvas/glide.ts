/** How long the view takes to get somewhere; no time at all for those who want no motion. */
export const glide = (ms: number): number => (matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : ms);
