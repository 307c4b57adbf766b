// Makes a page that holds the viewer and a trace in one file, opens from disk and needs no network. Fetched when somebody
// saves one.

/** What the page runs on; `saved_page.js` hands it out in there. */
const PARTS = [
  "app.js",
  "app_bg.wasm",
  "worker_boot.js",
  "worker.js",
  "worker_bg.wasm",
  "worker_rest.wasm",
  "unpack.js",
  "unpack_bg.wasm",
  "memory_blobs.js",
];

/** What names the build inside of programs. */
const NAMED = ["app_bg.wasm", "worker_bg.wasm"];

/** A larger page would take more memory than many browsers give one. */
const MOST_PACKED_BYTES = 256 * 1024 * 1024;

/** Bytes of one element; a multiple of three, so that the base64 of pieces is that of the whole. */
const PIECE_BYTES = 3 * 1024 * 1024;

/** What is packed already. */
const PACKED = [
  [0x1f, 0x8b],
  [0x50, 0x4b, 0x03, 0x04],
  [0x28, 0xb5, 0x2f, 0xfd],
];

/**
 * @param build names the build of this page; another one on the host in the meantime is an Error.
 * @param what { name, view, file, url }: the trace's name, the view as in an address, and the trace: a File, or an address
 *     that the page may fetch.
 * @param goOn called with how many bytes of the trace were packed so far; false gives up.
 * @returns { page: Blob, viewerBytes, traceBytes, packedBytes }, null if it was given up. Rejects with an Error that says what
 *     is wrong.
 */
export async function pack(build, what, goOn) {
  const trace = what.file ?? (await (await fetched(what.url)).blob());
  const isPacked = !(await startsLike(trace, PACKED));
  const packed = isPacked ? await compressed(trace, goOn) : trace;
  if (packed === null) return null;
  if (packed.size > MOST_PACKED_BYTES) throw new Error(tooLarge());
  const viewer = await viewerFor(build, what);
  const pieces = await base64(packed);
  const start = `<script type="text/plain" data-trace="${escaped(what.name)}" data-is-packed="${isPacked}">`;
  const page = new Blob([viewer.before, ...pieces.flatMap((piece) => [start, piece, "</script>\n"]), viewer.after], {
    type: "text/html",
  });
  const viewerBytes = new Blob([viewer.before, viewer.after]).size;
  return { page, viewerBytes, traceBytes: trace.size, packedBytes: page.size - viewerBytes };
}

function tooLarge() {
  return "This trace is too large to save as HTML (limit 268 MB compressed). Share the trace file and a link to this view instead.";
}

async function startsLike(blob, beginnings) {
  const bytes = new Uint8Array(await blob.slice(0, 4).arrayBuffer());
  return beginnings.some((beginning) => beginning.every((byte, at) => bytes[at] === byte));
}

async function compressed(blob, goOn) {
  let taken = 0;
  let isWanted = true;
  let packedBytes = 0;
  const count = new TransformStream({
    transform(bytes, controller) {
      taken += bytes.length;
      isWanted &&= goOn(taken);
      if (!isWanted) controller.error(new Error("given up"));
      else controller.enqueue(bytes);
    },
  });
  const limit = new TransformStream({
    transform(bytes, controller) {
      packedBytes += bytes.length;
      if (packedBytes > MOST_PACKED_BYTES) controller.error(new Error(tooLarge()));
      else controller.enqueue(bytes);
    },
  });
  const stream = blob.stream().pipeThrough(count).pipeThrough(new CompressionStream("gzip")).pipeThrough(limit);
  try {
    return await new Response(stream).blob();
  } catch (error) {
    if (!isWanted) return null;
    throw packedBytes > MOST_PACKED_BYTES ? new Error(tooLarge()) : error;
  }
}

/** Everything but the trace. */
async function viewerFor(build, { name, view }) {
  const addressOf = (file) => new URL(`${file}?v=${encodeURIComponent(build)}`, document.baseURI).href;
  const parts = await Promise.all(PARTS.map(async (part) => [part, await (await fetched(addressOf(part))).blob()]));
  for (const [part, blob] of parts.filter(([part]) => NAMED.includes(part))) {
    if (!(await holds(blob, build))) throw new Error(`Traceglass was updated (${part}). Reload the page and save again.`);
  }
  const packed = await Promise.all(
    parts.map(async ([part, blob]) => [part, (await base64(await compressed(blob, () => true))).join("")]),
  );
  const scripts = await textsOf([addressOf("saved_page.js"), ...[...document.scripts].map(({ src }) => src)]);
  const styles = await textsOf([...document.querySelectorAll("link[rel=stylesheet]")].map(({ href }) => href));
  const icon = await textsOf([document.querySelector("link[rel=icon]").href]);
  const noScript = document.querySelector("noscript").textContent.trim();
  const before = `<!doctype html>
<html lang="en" data-view="${escaped(view)}">
<head>
<meta charset="utf-8">
<script>
${scripts}
</script>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(name)} – Traceglass</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<style>
${styles}
</style>
</head>
<body>
<div id="boot" role="status">Starting Traceglass…</div>
<noscript>${noScript}</noscript>
${packed.map(([part, text]) => `<script type="text/plain" data-part="${part}">${text}</script>\n`).join("")}`;
  return { before, after: "</body>\n</html>\n" };
}

async function textsOf(addresses) {
  const texts = await Promise.all(addresses.filter(Boolean).map(async (address) => (await fetched(address)).text()));
  // It would end the element that holds it.
  if (texts.some((text) => /<\/(script|style)|<!--/i.test(text))) throw new Error("Couldn't build the HTML file.");
  return texts.map((text) => text.trim()).join("\n");
}

async function fetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} returned ${response.status} ${response.statusText}`);
  return response;
}

async function holds(blob, text) {
  return new TextDecoder("latin1").decode(await blob.arrayBuffer()).includes(text);
}

/** In pieces. */
async function base64(blob) {
  const pieces = [];
  for (let start = 0; start < blob.size; start += PIECE_BYTES) pieces.push(await base64Of(blob.slice(start, start + PIECE_BYTES)));
  return pieces;
}

function base64Of(piece) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(piece);
  });
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
}
