/** Ends a switch over a union: a new member that is not drawn is a compile error. At run time an unknown one is skipped. */
export function assertNever(value: never): null {
  console.warn("Unknown value", value);
  return null;
}
