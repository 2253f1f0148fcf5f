import { object, text } from "../store/document";
import type { JsonObject, Operation } from "../store/wire";

/** What takes an edge from one step to another that has no way out yet: all of it, routes, sentences, limits and name. */
export function moved(edge: JsonObject, from: string, leaving: string): Operation[] {
  const routes = Object.entries(object(edge.routes));
  const when = object(edge.when);
  const said = Object.keys(when);
  if (!routes.length) {
    const to = text(edge.to);
    return [
      { op: "disconnect", from, to },
      { op: "connect", from: leaving, to },
    ];
  }
  // Routes are tried in the order of their sentences.
  routes.sort(([one], [two]) => (said.indexOf(one) + 1 || routes.length + 1) - (said.indexOf(two) + 1 || routes.length + 1));
  const on = { edge: { from: leaving } };
  return [
    // With one route left a decision is a plain edge, whose end has no route.
    ...routes.map(([route, to], at): Operation => ({ op: "disconnect", from, to: text(to), ...(at < routes.length - 1 || routes.length === 1 ? { route } : {}) })),
    ...routes.map(([route, to]): Operation => ({ op: "connect", from: leaving, to: text(to), route, when: text(when[route]) })),
    ...(typeof edge.router === "string" ? [{ op: "setField", on, path: ["router"], value: edge.router } satisfies Operation] : []),
    ...(edge.limits === undefined ? [] : [{ op: "setField", on, path: ["limits"], value: edge.limits } satisfies Operation]),
  ];
}
