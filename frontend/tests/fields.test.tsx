// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { Fields } from "../src/shared/Fields";
import { asFields, draftsOf } from "../src/shared/fields";
import { usePage } from "./page";

const fields = asFields({
  names: { type: "list", label: "Names" },
  items: { type: "list", label: "Items", of: { product: { type: "number", label: "Product" } } },
  city: { type: "string", label: "City" },
});

// LG-forms-09, LG-forms-11: what is wrong stands beside its box, and is read out with it.
describe("a refused form", () => {
  const page = usePage();
  const described = (element: Element | null) => {
    const id = element?.getAttribute("aria-describedby");
    return id ? document.getElementById(id)?.textContent : undefined;
  };

  it("ties every error to the box or the row that it is about", async () => {
    const drafts = { ...draftsOf(fields, {}), names: ["", "Ola", "", "Rina"], items: [{ product: "1" }, { product: "x" }] };
    const errors = { "names[1]": "Too short.", "items[0]": "This row is half filled.", "items[1].product": "No number.", city: "Fill in “City”." };
    await page.draw(<Fields fields={fields} drafts={drafts} errors={errors} onChange={() => undefined} />);
    const boxes = [...page.root.querySelectorAll("input")];
    expect(boxes.map((box) => [box.value, described(box), box.getAttribute("aria-invalid")])).toEqual([
      ["", undefined, null],
      ["Ola", undefined, null],
      ["", undefined, null],
      ["Rina", "Too short.", "true"],
      ["1", undefined, null],
      ["x", "No number.", "true"],
      ["", "Fill in “City”.", "true"],
    ]);
    expect([...page.root.querySelectorAll('[role="group"]')].map(described).filter(Boolean)).toEqual(["This row is half filled."]);
    expect(page.root.querySelectorAll(".error").length).toBe(4);
  });
});
