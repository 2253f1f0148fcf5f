// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import { startForms } from "../src/pages/forms";

/** Whether leaving the page asks first. */
function asks(): boolean {
  const leaving = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(leaving);
  return leaving.defaultPrevented;
}

function element(tag: string, attributes: Record<string, string>, ...inner: Element[]): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...inner);
  return made;
}

/** The publish page: its fields stand beside the form and name it. */
describe("a guarded form", () => {
  beforeEach(() => {
    document.body.replaceChildren(
      element("input", { id: "name", name: "name", form: "publish" }),
      element("input", { id: "other" }),
      element("form", { id: "publish", "data-guard": "" }),
    );
    startForms();
  });
  const type = (id: string, value = "x") => {
    const field = document.getElementById(id) as HTMLInputElement;
    field.value = value;
    for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
  };

  it("notices what is typed into a field that belongs to it from outside, until it was sent", () => {
    type("other");
    expect(asks()).toBe(false);
    type("name");
    expect(asks()).toBe(true);
    const form = document.querySelector("form")!;
    form.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    expect(asks()).toBe(false);
  });
});
