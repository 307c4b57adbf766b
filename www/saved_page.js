// The beginning of a page that was saved (`saved_page.html`), ahead of `boot.js` in the same script. The page brings along
// everything that others fetch, packed with gzip, as base64 in elements that no browser runs: programs (`data-part`) and
// traces (`data-trace`, each in pieces).
//
// It gives `boot.js` `globalThis.traceglassSaved`:
//
// embedder: string | null
//     Origin of the page that has this one in a frame, if this is a page for embedding (`data-embed`): the same origin.
// policy: string
//     The page's content security policy: nothing may be fetched, from anywhere.
// view: string
//     What the address holds behind the path, for the view that was saved.
// bytes(name): Promise<ArrayBuffer>
//     A part of the page.
// script(name): Promise<string>
//     An address from which a part can be imported.
//     From a worker of a page on disk Chromium imports nothing but data: addresses. Elsewhere, blob: ones are better: only
//     a script of the page can make them.
// forWorker(): Promise<object>
//     What the worker needs later: see `worker_boot.js`.
// traces(): Promise<{ file, view, shown }[]>
//     The traces, the open one first. The address says how the others are combined with it. Those on its timeline have a
//     view of their own, and perhaps the panels.
(function () {
  "use strict";

  const { view, embed } = document.documentElement.dataset;
  const scripts = embed === undefined ? "data:" : "blob:";
  const POLICY = [
    "default-src 'none'",
    `script-src ${scripts} 'wasm-unsafe-eval'`,
    "worker-src blob:",
    "connect-src 'none'",
    "img-src data: blob:",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");

  globalThis.traceglassSaved = {
    embedder: embed === undefined || parent === window || self.origin === "null" ? null : self.origin,
    policy: POLICY,
    view,
    bytes,
    script,
    forWorker: async () => {
      const [rest, unpackWasm] = await Promise.all(["worker_rest.wasm", "unpack_bg.wasm"].map(bytes));
      const [unpackJs, memoryBlobsJs] = await Promise.all(["unpack.js", "memory_blobs.js"].map(script));
      return { rest, unpackJs, unpackWasm, memoryBlobsJs };
    },
    traces: async () => {
      const traces = [];
      for (const piece of document.querySelectorAll("script[data-trace]")) {
        const { trace, name, ...about } = piece.dataset;
        traces[trace] ??= { name, about, content: [] };
        traces[trace].content.push(decoded(piece));
        // The text is larger than what it stands for, and nobody needs it any more.
        piece.remove();
      }
      const opened = async ({ name, about, content }) => ({ ...about, file: new File([await unpacked(content).blob()], name) });
      return Promise.all(traces.map(opened));
    },
  };

  function bytes(name) {
    return part(name).arrayBuffer();
  }

  async function script(name) {
    if (embed !== undefined) return URL.createObjectURL(new Blob([await part(name).text()], { type: "text/javascript" }));
    return "data:text/javascript;charset=utf-8," + encodeURIComponent(await part(name).text());
  }

  function part(name) {
    return unpacked([decoded(document.querySelector(`script[data-part="${name}"]`))]);
  }

  function unpacked(pieces) {
    return new Response(new Blob(pieces).stream().pipeThrough(new DecompressionStream("gzip")));
  }

  function decoded(element) {
    const text = atob(element.textContent);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
    return bytes;
  }
})();
