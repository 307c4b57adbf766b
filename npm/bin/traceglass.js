#!/usr/bin/env node
// Serves the page and traces on 127.0.0.1, and opens the browser. The same rules as `traceglass view`, which
// crates/cli/src/view explains; crates/cli/tests/view.rs tests both.
"use strict";

const { spawn } = require("node:child_process");
const { randomBytes, timingSafeEqual } = require("node:crypto");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { promisify } = require("node:util");

const USAGE = `Open .NET traces in the browser

Usage: traceglass [OPTIONS] <FILE>...

Options:
      --follow         Follow an uncompressed trace while it's being recorded
      --no-open        Print the URLs without opening the browser
      --port <N>       Port to listen on. By default, any free port
      --page <FOLDER>  Serve the page in FOLDER instead of the built-in page
  -h, --help           Print help
  -V, --version        Print version`;

/** Time without an open page after which the server ends. */
const GRACE_MS = 5000;
/** Time limit for a request to arrive. */
const ARRIVAL_MS = 10000;
/** Number of bytes of a trace read at a time. */
const PIECE_BYTES = 256 * 1024;
const read = promisify(fs.read);
const mark = (follows) => `<meta name="traceglass-view"${follows ? ' content="follow"' : ""} />`;
const KINDS = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".wasm": "application/wasm",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};
const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; connect-src 'self' blob:; " +
    "img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; manifest-src 'self'; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
  Connection: "close",
};

function stop(code, message) {
  process.stderr.write(`traceglass: ${message}\n`);
  process.exit(code);
}

function parse(words) {
  const options = { files: [], open: true, port: 0, page: path.join(__dirname, "..", "page") };
  for (let at = 0; at < words.length; at++) {
    const [name, inline] = words[at].startsWith("--") ? words[at].split(/=(.*)/s) : [words[at]];
    const value = () => inline ?? words[++at] ?? stop(2, `a value is required for '${name}'`);
    if (name === "--help" || name === "-h") return (console.log(USAGE), process.exit(0));
    if (name === "--version" || name === "-V")
      return (console.log(require("../package.json").version), process.exit(0));
    if (name === "--no-open") options.open = false;
    else if (name === "--follow") options.follow = true;
    else if (name === "--page") options.page = value();
    else if (name === "--port") {
      options.port = Number(value());
      if (!Number.isInteger(options.port) || options.port < 0 || options.port > 65535) stop(2, "invalid port");
    } else if (name.startsWith("-")) stop(2, `unexpected argument '${name}'\n\n${USAGE}`);
    else options.files.push(name);
  }
  if (options.files.length === 0) stop(2, `no trace\n\n${USAGE}`);
  return options;
}

/** Opens a trace, or the archive of FILE!ENTRY. It stays open, so that all parts come from the same file. */
function opened(name) {
  let [file, entry] = [name, undefined];
  for (let at = name.indexOf("!"); at >= 0 && !fs.existsSync(name); at = name.indexOf("!", at + 1)) {
    if (fs.existsSync(name.slice(0, at)) && fs.statSync(name.slice(0, at)).isFile()) {
      [file, entry] = [name.slice(0, at), name.slice(at + 1)];
      break;
    }
  }
  try {
    const descriptor = fs.openSync(file, "r");
    if (!fs.fstatSync(descriptor).isFile()) throw new Error("it isn't a file");
    return { name: encoded(path.basename(file)), descriptor, entry };
  } catch (error) {
    return stop(1, `Can't read “${file}”: ${error.message}`);
  }
}

/** Paths of the page's files. Requests select one of them; none becomes a path of the file system. */
function pageIn(folder, prefix = "", into = new Map()) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const below = prefix + entry.name;
    if (entry.isDirectory()) pageIn(path.join(folder, entry.name), `${below}/`, into);
    // A service worker would fill the browser's cache with a copy of the page for each random URL.
    else if (entry.isFile() && below !== "sw.js") into.set(below, path.join(folder, entry.name));
  }
  return into;
}

/** Encodes every character that could have a meaning in a URL or a header. */
function encoded(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function equals(one, other) {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Why a request isn't answered, if it isn't. */
function refusal(request, port) {
  const { host, origin } = request.headers;
  const names = request.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const once = ["host", "origin", "sec-fetch-site", "range", "if-range"];
  if (once.some((name) => names.indexOf(name) !== names.lastIndexOf(name))) return [400, "The request is malformed."];
  if (![`127.0.0.1:${port}`, `localhost:${port}`].includes(host?.toLowerCase())) {
    return [403, "This server answers only as 127.0.0.1 or localhost, at its own port."];
  }
  const site = request.headers["sec-fetch-site"];
  const isOwn = origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`;
  if (!isOwn || !["same-origin", "none", undefined].includes(site)) {
    return [403, "Other websites may not link to this page. Paste its URL into a new tab."];
  }
  if (!["GET", "HEAD"].includes(request.method)) return [405, "Only GET and HEAD are allowed."];
  if (!request.url.startsWith("/")) return [400, "The request is malformed."];
  return undefined;
}

/** The part of a file that a `Range` header selects: null for all of it, [start, end), or [0, 0) if it is after the end. */
function part(header, size) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (!first && !last) return null;
  if (!first) return [last > 0 ? Math.max(0, size - last) : size, size];
  if (last && BigInt(first) > BigInt(last)) return null;
  return [Number(first), last ? Math.min(Number(last) + 1, size) : size];
}

/** Sends part of a file, at the speed of the browser. A stream would close the file at its end. */
async function copy(descriptor, start, end, response) {
  for (let at = start; at < end && !response.destroyed;) {
    const { bytesRead, buffer } = await read(descriptor, Buffer.alloc(Math.min(PIECE_BYTES, end - at)), {
      position: at,
    });
    if (bytesRead === 0) throw new Error("the file was truncated");
    at += bytesRead;
    if (!response.write(buffer.subarray(0, bytesRead))) {
      await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    }
  }
  response.end();
}

function serve(options) {
  const files = options.files.map(opened);
  let page = new Map();
  try {
    page = pageIn(options.page);
  } catch (error) {
    stop(1, `Can't read “${options.page}”: ${error.message}`);
  }
  if (!page.has("index.html")) {
    stop(1, `“${options.page}” isn't a built page: it has no index.html\nTo build the page: cargo xtask build`);
  }
  const token = randomBytes(16).toString("hex");
  // Other users of this computer can see the command line of the browser: a URL in it must work only once.
  const singleUse = files.map((_, index) => [`/${randomBytes(16).toString("hex")}`, index]);
  let [users, hadPage, ending] = [0, false, undefined];

  function enter(response) {
    users++;
    clearTimeout(ending);
    response.on("close", () => {
      if (--users === 0 && hadPage) ending = setTimeout(() => process.exit(0), GRACE_MS);
    });
  }

  function answer(response, status, headers, body) {
    response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body), ...HEADERS });
    response.end(body);
  }

  function refuse(response, [status, reason]) {
    const allow = status === 405 ? { Allow: "GET, HEAD" } : {};
    answer(response, status, { ...allow, "Content-Type": "text/plain; charset=utf-8" }, reason);
  }

  function view(response, index, host) {
    const { name, entry } = files[index];
    const url = encoded(`http://${host}/${token}/files/${index}/${name}`);
    const rest = entry === undefined ? "" : `&entry=${encoded(entry)}`;
    answer(response, 303, { Location: `/${token}/#/summary?v=1&url=${url}${rest}` }, "");
  }

  function sendFile(request, response, { descriptor }) {
    const facts = fs.fstatSync(descriptor, { bigint: true });
    const size = Number(facts.size);
    const tag = `"${facts.size.toString(16)}-${facts.mtimeNs.toString(16)}"`;
    const isCurrent = [undefined, tag].includes(request.headers["if-range"]) && request.method === "GET";
    const range = isCurrent ? part(request.headers.range, size) : null;
    const [start, end] = range ?? [0, size];
    const headers = { "Content-Type": "application/octet-stream", "Accept-Ranges": "bytes", ETag: tag };
    if (range && start >= end) {
      return answer(response, 416, { ...headers, "Content-Range": `bytes */${size}` }, "");
    }
    if (range) headers["Content-Range"] = `bytes ${start}-${end - 1}/${size}`;
    response.writeHead(range ? 206 : 200, { ...headers, "Content-Length": end - start, ...HEADERS });
    if (request.method === "HEAD" || start === end) return response.end();
    return copy(descriptor, start, end, response).catch(() => response.destroy());
  }

  function respond(request, response) {
    const refused = refusal(request, server.address().port);
    if (refused) return refuse(response, refused);
    const address = request.url.split("?")[0];
    const once = request.method === "GET" ? singleUse.findIndex(([single]) => equals(single, address)) : -1;
    const [, given, below] = /^\/([^/]*)\/(.*)$/s.exec(address) ?? [];
    if (once < 0 && (given === undefined || !equals(given, token))) return refuse(response, [404, "No such file."]);
    const { host } = request.headers;
    if (once >= 0) {
      enter(response);
      return view(response, singleUse.splice(once, 1)[0][1], host);
    }
    const file = files.findIndex(({ name }, index) => below === `files/${index}/${name}`);
    const open = files.findIndex((_, index) => below === `open/${index}`);
    const asset = page.get(below || "index.html");
    if (below !== "alive" && file < 0 && open < 0 && asset === undefined) {
      return refuse(response, [404, "No such file."]);
    }
    enter(response);
    if (open >= 0) return view(response, open, host);
    if (file >= 0) return sendFile(request, response, files[file]);
    if (below === "alive") {
      response.writeHead(200, { "Content-Type": "text/plain", ...HEADERS });
      if (request.method === "HEAD") return response.end();
      hadPage = true;
      return response.flushHeaders();
    }
    let content = fs.readFileSync(asset);
    if (path.basename(asset) === "index.html") content = content.toString().replace("</head>", `${mark(options.follow)}</head>`);
    return answer(response, 200, { "Content-Type": KINDS[path.extname(asset)] ?? "application/octet-stream" }, content);
  }

  // A byte now and then must not hold a connection.
  const limits = { maxHeaderSize: 16384, headersTimeout: ARRIVAL_MS, requestTimeout: ARRIVAL_MS, connectionsCheckingInterval: 1000 };
  const server = http.createServer(limits, (request, response) => {
    response.shouldKeepAlive = false;
    try {
      respond(request, response);
    } catch {
      response.destroy();
    }
  });
  server.maxConnections = 128;
  server.on("error", (error) => stop(1, `can't listen on port ${options.port}: ${error.message}`));
  server.listen(options.port, "127.0.0.1", () => {
    const base = `http://127.0.0.1:${server.address().port}`;
    files.forEach((_, index) => console.log(`${base}/${token}/open/${index}`));
    const note = "To stop, close the page or press Ctrl+C.";
    const failed = () => console.error(`note: can't open the browser. Open the URL above.`);
    if (options.open) singleUse.map(([single]) => base + single).forEach((url) => openBrowser(url, failed));
    console.error(note);
  });
}

function openBrowser(url, failed) {
  const { win32, darwin } = { win32: ["cmd", "/C", "start", ""], darwin: ["open"] };
  const [program, ...words] = { win32, darwin }[process.platform] ?? ["xdg-open"];
  spawn(program, [...words, url], { stdio: "ignore", detached: true })
    .on("error", failed)
    .unref();
}

serve(parse(process.argv.slice(2)));
