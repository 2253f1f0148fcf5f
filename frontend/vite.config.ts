import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { AcceptedPlugin } from "postcss";
import { defineConfig } from "vitest/config";
import type { Plugin } from "vite";

const here = import.meta.dirname;

/** tokens.css names its dark colours under [data-theme="dark"]; the same block follows the system where nobody chose. */
export const systemDark: AcceptedPlugin = {
  postcssPlugin: "system-dark",
  Once(sheet, { AtRule, Rule }) {
    sheet.walkRules('[data-theme="dark"]', (rule) => {
      if (!rule.some((node) => node.type === "decl" && node.prop === "--desk")) return;
      const follow = new AtRule({ name: "media", params: "(prefers-color-scheme: dark)" });
      follow.append(new Rule({ selector: ":root:not([data-theme])", nodes: rule.clone().nodes }));
      rule.after(follow);
    });
  },
};

/** Prints what each page's script weighs over the wire, with everything it imports; the chat page has a limit. */
function weights(limits: Record<string, number>): Plugin {
  return {
    name: "weights",
    apply: "build",
    writeBundle(options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk" || !chunk.isEntry) continue;
        const files = new Set([chunk.fileName]);
        for (const file of files) {
          const of = bundle[file];
          if (of?.type === "chunk") of.imports.forEach((name) => files.add(name));
        }
        const bytes = [...files].reduce(
          (sum, file) => sum + gzipSync(readFileSync(resolve(options.dir!, file)), { level: 9 }).length,
          0,
        );
        const limit = limits[chunk.name];
        console.log(`${chunk.name.padEnd(7)} script ${(bytes / 1024).toFixed(1)} KB gzipped${limit ? ` of ${limit}` : ""}`);
        if (limit && bytes > limit * 1024) this.error(`${chunk.name} is over its limit of ${limit} KB gzipped`);
      }
    },
  };
}


export default defineConfig({
  root: here,
  base: "/static/dist/",
  publicDir: false,
  css: { postcss: { plugins: [systemDark] } },
  plugins: [weights({ chat: 60, editor: 350 })],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: resolve(here, "../static/dist"),
    emptyOutDir: true,
    manifest: true,
    target: "es2022",
    // The polyfill and inlined assets would need script and font sources that the page's policy does not give.
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // What counts is what a page loads, which weights() judges.
    chunkSizeWarningLimit: 2000,
    rollupOptions: {
      // Libraries mark what runs in a browser; all of this does.
      onwarn: (warning, warn) => (warning.code === "MODULE_LEVEL_DIRECTIVE" ? undefined : warn(warning)),
      input: {
        chat: resolve(here, "src/chat/main.tsx"),
        inbox: resolve(here, "src/inbox/main.tsx"),
        decide: resolve(here, "src/inbox/decide.tsx"),
        editor: resolve(here, "src/editor/main.tsx"),
        code: resolve(here, "src/code/main.ts"),
        pages: resolve(here, "src/pages/main.ts"),
      },
    },
  },
  test: { include: ["tests/**/*.test.{ts,tsx}"], environment: "node" },
});
