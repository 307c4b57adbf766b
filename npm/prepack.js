// Copies what belongs into the package.
"use strict";

// The program doesn't serve the service worker.
require("./copy_page.js")(__dirname, (file) => file !== "sw.js");
