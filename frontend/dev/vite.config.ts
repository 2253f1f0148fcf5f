import { resolve } from "node:path";
import { defineConfig } from "vite";
import { systemDark } from "../vite.config";

/** The gallery: `npm run gallery`, then the address it prints. */
export default defineConfig({
  root: resolve(import.meta.dirname, ".."),
  publicDir: false,
  css: { postcss: { plugins: [systemDark] } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: { open: false },
  appType: "mpa",
});
