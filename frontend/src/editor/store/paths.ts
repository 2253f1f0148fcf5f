/** The steps of a JSON path: `nodes[2].prompt` and `state["the key"].type`. What is no path gives the steps before it fails. */
export function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  const step = /\.?([^.[\]"]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/y;
  while (step.lastIndex < path.length) {
    const found = step.exec(path);
    if (!found) break;
    if (found[2] !== undefined) steps.push(Number(found[2]));
    else steps.push(found[3] === undefined ? (found[1] ?? "") : unescaped(found[3]));
  }
  return steps;
}

function unescaped(key: string): string {
  try {
    return String(JSON.parse(`"${key}"`));
  } catch {
    return key;
  }
}

const PLAIN = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

/** The path of these steps, as problems write it. */
export function pathOf(steps: readonly (string | number)[]): string {
  let path = "";
  for (const step of steps) {
    if (typeof step === "number") path += `[${step}]`;
    else if (PLAIN.test(step)) path += path ? `.${step}` : step;
    else path += `[${JSON.stringify(step)}]`;
  }
  return path;
}
