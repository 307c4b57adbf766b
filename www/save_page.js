// Makes a page that holds the viewer and traces in one file, opens from disk and needs no network. Fetched when somebody
// saves one. Editors put the viewer alone into a frame (`embeddable`).
//
// `saved_page.html` is the page with names in braces, and says what is in it. `traceglass` writes the same page from it
// (crates/cli/src/view/saved_page.rs).

const TEMPLATE = "saved_page.html";

/** What names the build inside of programs. */
const NAMED = ["app_bg.wasm", "worker_bg.wasm"];

/** The line of the template that is repeated: one for each piece of a trace. */
const PIECES = /^(.*)\{\{block of (\d+) bytes, at most (\d+)\}\}(.*\n)/m;

/**
 * @param build names the build of this page; another one on the host in the meantime is an Error.
 * @param what { name, view, traces }: the name of the page, the view as in an address, and the traces. Each is
 *     { file, url, about }: a File, or an address that the page may fetch, and what `saved_page.js` says about it.
 * @param goOn called with how many bytes of the traces were packed so far; false cancels.
 * @returns { page: Blob, viewerBytes, traceBytes, packedBytes }, null if it was canceled. Rejects with an Error that says what
 *     is wrong.
 */
export async function pack(build, { name, view, traces }, goOn) {
  const addressOf = (file) => new URL(`${file}?v=${encodeURIComponent(build)}`, document.baseURI).href;
  const check = async (part, blob) => {
    if (!NAMED.includes(part) || (await holds(blob, build))) return;
    throw new Error(`Traceglass was updated (${part}). Reload the page and save again.`);
  };
  const values = { attributes: `data-view="${escaped(view)}"`, nonce: "", title: `${escaped(name)} – Traceglass` };
  const { head, start, pieceBytes, mostBytes, end, foot } = await viewerOf(document, addressOf, values, check);
  let [traceBytes, packedBytes] = [0, 0];
  const elements = [];
  for (const [nth, { file, url, about }] of traces.entries()) {
    const trace = file ?? (await (await fetched(url)).blob());
    const before = traceBytes;
    const packed = await compressed(trace, (taken) => goOn(before + taken), mostBytes, packedBytes);
    if (packed === null) return null;
    traceBytes += trace.size;
    packedBytes += packed.size;
    const said = Object.entries(about).map(([key, value]) => ` data-${key}="${escaped(String(value))}"`).join("");
    for (const [at, piece] of (await base64(packed, pieceBytes)).entries()) {
      elements.push(filled(start, { nth, about: at === 0 ? said : "" }), piece, end);
    }
  }
  const page = new Blob([head, ...elements, foot], { type: "text/html" });
  const viewerBytes = new Blob([head, foot]).size;
  return { page, viewerBytes, traceBytes, packedBytes: page.size - viewerBytes };
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
  const values = { attributes: "data-embed", nonce: ` nonce="${escaped(nonce)}"`, title: "Traceglass" };
  const { head, foot } = await viewerOf(page, addressOf, values);
  return head + foot;
}

function tooLarge(bytes) {
  const limit = Math.round(bytes / 1e6);
  return `The traces are too large to save as HTML (limit ${limit} MB compressed). Share the files and a link to this view instead.`;
}

/** null if it was canceled. */
async function compressed(blob, goOn, mostBytes = Infinity, packedBytes = 0) {
  let taken = 0;
  let isWanted = true;
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
      if (packedBytes > mostBytes) controller.error(new Error(tooLarge(mostBytes)));
      else controller.enqueue(bytes);
    },
  });
  const stream = blob.stream().pipeThrough(count).pipeThrough(new CompressionStream("gzip")).pipeThrough(limit);
  try {
    return await new Response(stream).blob();
  } catch (error) {
    if (!isWanted) return null;
    throw packedBytes > mostBytes ? new Error(tooLarge(mostBytes)) : error;
  }
}

/**
 * The template before and after the line for the pieces of traces, filled with the values, and with the scripts, styles and
 * programs of a page, which may be a document without a window; and that line, before and after a piece.
 */
async function viewerOf(page, addressOf, values, check = () => {}) {
  const template = await (await fetched(addressOf(TEMPLATE))).text();
  const parts = [...template.matchAll(/\{\{(part (.+?))\}\}/g)].map(async ([, key, part]) => {
    const blob = await (await fetched(addressOf(part))).blob();
    await check(part, blob);
    return [key, (await base64(await compressed(blob, () => true))).join("")];
  });
  // Addresses in the page are relative to its folder.
  const named = (elements, attribute) =>
    elements.map((element) => element.getAttribute(attribute)).filter(Boolean).map((name) => new URL(name, addressOf(".")).href);
  const all = {
    ...values,
    ...Object.fromEntries(await Promise.all(parts)),
    scripts: (await textsOf([addressOf("saved_page.js"), ...named([...page.scripts], "src")])).join("\n"),
    styles: (await textsOf(named(stylesheetsOf(page), "href"))).join("\n"),
    icon: (await base64(await (await fetched(named([page.querySelector("link[rel=icon]")], "href")[0])).blob())).join(""),
    noscript: page.querySelector("noscript").textContent.trim(),
  };
  const [line, start, pieceBytes, mostBytes, end] = PIECES.exec(template);
  const [head, foot] = template.split(line).map((text) => filled(text, all));
  return { head, start, pieceBytes: Number(pieceBytes), mostBytes: Number(mostBytes), end, foot };
}

/** Replaces names in braces, once: values may have braces of their own. */
function filled(text, values) {
  return text.replace(/\{\{(.+?)\}\}/g, (_, key) => values[key]);
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
  if (texts.some((text) => /<\/(script|style)|<!--/i.test(text))) throw new Error("Can't build the HTML file.");
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

/** In pieces of this size; a multiple of three, so that they can be joined. */
async function base64(blob, pieceBytes = 3 << 20) {
  const pieces = [];
  for (let start = 0; start < blob.size; start += pieceBytes) pieces.push(await base64Of(blob.slice(start, start + pieceBytes)));
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
