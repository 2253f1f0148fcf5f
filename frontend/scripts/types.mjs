/* Reads {file: JSON Schema} and writes {file: TypeScript}; `manage.py generate` calls it. */
import { compile } from "json-schema-to-typescript";

const schemas = JSON.parse(await new Response(process.stdin).text());
const files = {};
for (const [file, schema] of Object.entries(schemas)) {
  const text = await compile(schema, "Everything", {
    bannerComment: "",
    additionalProperties: false,
    unreachableDefinitions: true,
    strictIndexSignatures: false,
    style: { printWidth: 120 },
  });
  files[file] = text
    // The root only gathers the definitions; it is no type of the product, and being in it is no news.
    .replace(/^export interface Everything \{\}\n+/m, "")
    .replace(/^ \*\n \* This interface was referenced by `Everything`.*\n.*via the `definition`.*\n/gm, "")
    .replace(/^ \* This interface was referenced by `Everything`.*\n(?: \* via the `definition`.*\n)?/gm, "")
    .replace(/^ \*\n(?= \*\/)/gm, "")
    .replace(/^\/\*\*\n \*\/\n/gm, "")
    .replace(/^(\}|.*;)\n(?=\/\*\*|export)/gm, "$1\n\n")
    .replace(/^\/\*\*\n \* (.*)\n \*\/$/gm, "/** $1 */")
    // What another file declares is only referred to here.
    .replace(/^export type (\w+) = \1;\n\n?/gm, "")
    .replace(/\{\n +\[k: string\]: (.*);\n +\}/g, "{ [key: string]: $1 }")
    .trimStart();
}
process.stdout.write(JSON.stringify(files));
