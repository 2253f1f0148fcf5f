/** What is kept free around the flow when all of it is shown: a margin, and the Ask bar with what it says. */
export function room(): { top: `${number}px`; right: `${number}px`; bottom: `${number}px`; left: `${number}px` } {
  const stage = document.querySelector(".ed-stage")?.getBoundingClientRect();
  const bar = document.querySelector(".ed-ask")?.getBoundingClientRect();
  // A bar that fills the stage leaves no room that would be worth it.
  const covered = stage && bar && bar.height < stage.height * 0.6 ? stage.bottom - bar.top : 0;
  return { top: "56px", right: "64px", bottom: `${Math.round(Math.max(40, covered + 24))}px`, left: "64px" };
}
