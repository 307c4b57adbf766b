// Copies what belongs into the extension: also the client of the page's messages.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const copyPage = require("../../npm/copy_page.js");

/** Of the start page and of installed pages. */
const UNUSED = /^(samples|icons|sw\.js|manifest\.webmanifest|start-.*\.(js|wasm))$/;

copyPage(__dirname, (file) => !UNUSED.test(file));
fs.copyFileSync(path.join(__dirname, "../../examples/embed/traceglass.js"), path.join(__dirname, "traceglass.js"));
