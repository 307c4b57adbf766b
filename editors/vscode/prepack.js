// Copies what belongs into the extension: the built page of this clone, the client of its messages, and the licenses.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const root = path.join(__dirname, "..", "..");
const dist = process.env.TRACEGLASS_DIST ?? path.join(root, "dist");
const page = path.join(__dirname, "page");
/** Of the start page and of installed pages. */
const UNUSED = /^(samples|icons|sw\.js|manifest\.webmanifest|start-.*\.(js|wasm))$/;

if (!fs.existsSync(path.join(dist, "index.html"))) {
  console.error(`There is no page in ${dist}. Run \`cargo xtask build\` first.`);
  process.exit(1);
}
fs.rmSync(page, { recursive: true, force: true });
fs.cpSync(dist, page, { recursive: true, filter: (file) => !UNUSED.test(path.relative(dist, file)) });
fs.copyFileSync(path.join(root, "examples", "embed", "traceglass.js"), path.join(__dirname, "traceglass.js"));
for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  fs.copyFileSync(path.join(root, name), path.join(__dirname, name));
}
