// Makes a page that holds the viewer and a trace in one file, opens from disk and needs no network. Fetched when somebody
// saves one. Editors put the viewer alone into a frame (`embeddable`).

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
 * @param goOn called with how many bytes of the trace were packed so far; false cancels.
 * @returns { page: Blob, viewerBytes, traceBytes, packedBytes }, null if it was canceled. Rejects with an Error that says what
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

/**
 * Returns a page for the `srcdoc` of a frame, which the page around it controls (docs/embed.md): for places whose frames
 * can't fetch the files of the page, such as editors.
 * @param base address of the folder with the files.
 * @param nonce for the page's script: such a frame is bound by the policy of the page around it.
 */
export async function embeddable(base, nonce) {
  const text = await (await fetched(new URL("index.html", base).href)).text();
  const page = new DOMParser().parseFromString(text, "text/html");
  const addressOf = (file) => new URL(file, base).href;
  const viewer = await viewerOf(page, addressOf, { attributes: "data-embed", nonce: ` nonce="${escaped(nonce)}"`, title: "Traceglass" });
  return viewer.before + viewer.after;
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
      if (!isWanted) controller.error(new Error("canceled"));
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
function viewerFor(build, { name, view }) {
  const addressOf = (file) => new URL(`${file}?v=${encodeURIComponent(build)}`, document.baseURI).href;
  const check = async ([part, blob]) => {
    if (!NAMED.includes(part) || (await holds(blob, build))) return;
    throw new Error(`Traceglass was updated (${part}). Reload the page and save again.`);
  };
  const attributes = `data-view="${escaped(view)}"`;
  return viewerOf(document, addressOf, { attributes, nonce: "", title: `${name} – Traceglass`, check });
}

/** The viewer with the scripts and styles of a page, which may be a document without a window. */
async function viewerOf(page, addressOf, { attributes, nonce, title, check = () => {} }) {
  const parts = await Promise.all(PARTS.map(async (part) => [part, await (await fetched(addressOf(part))).blob()]));
  await Promise.all(parts.map(check));
  const packed = await Promise.all(
    parts.map(async ([part, blob]) => [part, (await base64(await compressed(blob, () => true))).join("")]),
  );
  // Addresses in the page are relative to its folder.
  const named = (elements, attribute) =>
    elements.map((element) => element.getAttribute(attribute)).filter(Boolean).map((name) => new URL(name, addressOf(".")).href);
  const scripts = (await textsOf([addressOf("saved_page.js"), ...named([...page.scripts], "src")])).join("\n");
  const styles = (await textsOf(named(stylesheetsOf(page), "href"))).join("\n");
  const [icon] = await textsOf(named([page.querySelector("link[rel=icon]")], "href"));
  const noScript = page.querySelector("noscript").textContent.trim();
  const before = `<!doctype html>
<html lang="en" ${attributes}>
<head>
<meta charset="utf-8">
<script${nonce}>
${scripts}
</script>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
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

/** In order, with those of open traces, which a page that has opened none keeps in a template. */
function stylesheetsOf(page) {
  const found = [...page.querySelectorAll("link[rel=stylesheet], template")];
  return found.flatMap((one) => (one.content ? [...one.content.querySelectorAll("link")] : [one]));
}

/** For elements that hold them. */
async function textsOf(addresses) {
  const texts = await Promise.all(addresses.map(async (address) => (await fetched(address)).text()));
  // It would end the element.
  if (texts.some((text) => /<\/(script|style)|<!--/i.test(text))) throw new Error("Couldn't build the HTML file.");
  return texts.map((text) => text.trim());
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
