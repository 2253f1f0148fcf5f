/** A file let go beside its place stays where it is: a browser would go to it, away from everything that is typed. */
export function ignoreDrops(): void {
  const refuse = (event: DragEvent) => {
    const files = event.dataTransfer?.types.includes("Files");
    const own = event.target instanceof HTMLInputElement && event.target.type === "file";
    if (event.defaultPrevented || !files || own) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "none";
  };
  addEventListener("dragover", refuse);
  addEventListener("drop", refuse);
}
