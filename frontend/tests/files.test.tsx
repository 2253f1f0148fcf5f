import { renderToString } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { asFile, mayTake, showsAs, sizeOf, typeOf } from "../src/shared/files";
import { valueOf } from "../src/shared/fields";
import { FileCard } from "../src/shared/FileCard";
import { place } from "../src/chat/Attachments";
import type { Uploads } from "../src/shared/useUpload";

const ID = "5d395d6e-0d70-4449-88dd-b07002dd065f";
const REF = { id: ID, name: "goods.png", mediaType: "image/png", url: `/files/${ID}`, bytes: 608 };
const IDLE: Uploads = { sending: {}, errors: {}, start: () => undefined, stop: () => undefined };
const named = (name: string, type: string) => new File(["x"], name, { type });

describe("a file", () => {
  it("is a record of exactly its five keys, whose address follows from its id", () => {
    expect(asFile(REF)).toEqual({ id: ID, name: "goods.png", mediaType: "image/png", bytes: 608 });
    const others = [{ ...REF, url: "https://elsewhere.example/x" }, { ...REF, url: `//elsewhere/files/${ID}` }, { ...REF, id: "../x" }, { ...REF, more: 1 }, { id: ID }, [REF], null, "x"];
    for (const other of others) expect(asFile(other)).toBeUndefined();
  });

  it("is drawn only as what a browser runs nothing of", () => {
    const of = (mediaType: string) => showsAs({ ...REF, mediaType });
    expect(["image/png", "audio/mpeg", "video/mp4"].map(of)).toEqual(["picture", "sound", "film"]);
    expect(["image/svg+xml", "text/html", "application/pdf", "image/bmp"].map(of)).toEqual(Array(4).fill("document"));
    const svg = renderToString(<FileCard file={{ ...REF, mediaType: "image/svg+xml", name: `"><img src=x>` }} />);
    expect(svg).not.toContain("<img");
    expect(svg).toContain(`href="/files/${ID}?download=1"`);
    expect(renderToString(<FileCard file={REF} />)).toContain(`<img src="/files/${ID}"`);
  });

  it("says how large it is and what people call its type", () => {
    expect([0, 999, 1000, 1499, 15_000, 999_499, 1_000_000, 20_971_520].map(sizeOf)).toEqual(["0 bytes", "999 bytes", "1 KB", "1.5 KB", "15 KB", "999 KB", "1 MB", "21 MB"]);
    expect(typeOf(REF)).toBe("PNG");
    expect(typeOf({ ...REF, name: "noname", mediaType: "text/csv" })).toBe("CSV");
  });

  it("is sent back as it was given", () => {
    expect(valueOf({ type: "file" }, JSON.stringify(REF))).toEqual(REF);
    for (const draft of ["", "hello", "{", JSON.stringify({ ...REF, url: "/x" })]) expect(valueOf({ type: "file" }, draft)).toBeNull();
  });
});

describe("the place of a file", () => {
  const files = { photo: { type: "file", accept: "image/*" }, paper: { type: "file", accept: ".pdf" } } as const;
  const [png, pdf] = [named("a.png", "image/png"), named("a.pdf", "application/pdf")];

  it("is the first free one that takes it", () => {
    expect(place(files, {}, IDLE, [pdf, png]).places.map(([name]) => name)).toEqual(["paper", "photo"]);
    expect(mayTake("image/*", png) && mayTake(undefined, pdf)).toBe(true);
  });

  it("is taken over by the newest, where there is one alone", () => {
    const full = { photo: JSON.stringify(REF) };
    expect(place(files, full, IDLE, [png]).places).toHaveLength(1);
    const two = place(files, full, IDLE, [png, png]);
    expect(two.places).toHaveLength(0);
    expect(two.left).toContain("a.png has no place left");
    expect(place(files, {}, IDLE, [named("a.zip", "application/zip")]).left).toContain("a.zip is none of the files");
  });
});
