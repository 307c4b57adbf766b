// Reloads the page when `cargo xtask serve --dev` has built it again.
(() => {
  "use strict";
  const { build } = document.currentScript.dataset;

  async function compare() {
    try {
      const response = await fetch("build.txt", { cache: "no-store" });
      if (response.ok && (await response.text()) !== build) location.reload();
    } catch {
      // The server is gone, or exchanges the page at this moment.
    }
    setTimeout(compare, 500);
  }

  compare();
})();
