// Copies what belongs into the package: the built page of this clone, and the licenses.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const root = path.join(__dirname, "..");
const dist = process.env.TRACEGLASS_DIST ?? path.join(root, "dist");
const page = path.join(__dirname, "page");

if (!fs.existsSync(path.join(dist, "index.html"))) {
  console.error(`There is no page in ${dist}. Run \`cargo xtask build\` first.`);
  process.exit(1);
}
fs.rmSync(page, { recursive: true, force: true });
// The program doesn't serve the service worker.
fs.cpSync(dist, page, { recursive: true, filter: (file) => path.relative(dist, file) !== "sw.js" });
for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  fs.copyFileSync(path.join(root, name), path.join(__dirname, name));
}
