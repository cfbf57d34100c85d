// Builds the page into ../static: one script (the worker is the same file), one style sheet, one document.
import { build } from "esbuild";
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "static");
mkdirSync(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { page: "main.ts" },
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  charset: "utf8",
  outdir: out,
});
copyFileSync(join(here, "index.html"), join(out, "index.html"));
copyFileSync(join(here, "node_modules", "three", "LICENSE"), join(out, "LICENSE-three.txt"));
