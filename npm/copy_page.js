// Copies the built page of this clone, and the licenses, into a package. For this package and the VS Code extension.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const root = path.join(__dirname, "..");

/**
 * @param folder of the package; the page gets a folder in it.
 * @param isUsed returns whether the package needs a file of the page.
 */
module.exports = function copyPage(folder, isUsed) {
  const dist = process.env.TRACEGLASS_DIST ?? path.join(root, "dist");
  const page = path.join(folder, "page");
  if (!fs.existsSync(path.join(dist, "index.html"))) {
    console.error(`No page found in ${dist}. Run \`cargo xtask build\` first.`);
    process.exit(1);
  }
  fs.rmSync(page, { recursive: true, force: true });
  fs.cpSync(dist, page, { recursive: true, filter: (file) => isUsed(path.relative(dist, file)) });
  for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) {
    fs.copyFileSync(path.join(root, name), path.join(folder, name));
  }
};
