// The service worker: lets the page start without a network. `cargo xtask build` puts a line before this one that defines
//
// KEPT: { build: string, page: string, parts: [address, integrity][] }
//     What this build is made of: names of files relative to this one, each with the hash of its content.
//
// Everything is kept or nothing: a host that hands out files of two builds, while it is being updated, is tried again with
// the next visit. Addresses of parts name their build or their content, so no page ever gets a part of another build from
// here; and a page comes from here only when the network does not bring one. Traces are neither kept nor seen.
"use strict";

const PREFIX = "traceglass-";
const CACHE = PREFIX + KEPT.build;
const SCOPE = new URL("./", location.href);

/** A network that is slower than this counts as none. */
const PATIENCE_MS = 3000;

addEventListener("install", (event) => event.waitUntil(keepAll()));
addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== SCOPE.origin) return;
  if (request.mode === "navigate") {
    if (url.pathname === SCOPE.pathname || url.pathname === SCOPE.pathname + "index.html") event.respondWith(page(request));
  } else if (KEPT.parts.some(([address]) => addressOf(address) === withoutHurry(url.href))) {
    event.respondWith(part(request));
  }
});

function addressOf(file) {
  return new URL(file, SCOPE).href;
}

/** The worker asks for a part in a hurry under an address of its own. */
function withoutHurry(address) {
  return address.replace(/&now$/, "");
}

async function keepAll() {
  try {
    const cache = await caches.open(CACHE);
    const keep = async (address, integrity, options) => {
      const response = await fetch(addressOf(address), { integrity, ...options });
      if (!response.ok) throw new Error(`${address} returned ${response.status}`);
      // A page may not come from an answer that was redirected: one of our own has its content.
      const headers = { "Content-Type": response.headers.get("Content-Type") };
      await cache.put(addressOf(address), new Response(await response.blob(), { headers }));
    };
    await Promise.all([
      keep("./", KEPT.page, { cache: "no-cache" }),
      ...KEPT.parts.map(([address, integrity]) => keep(address, integrity)),
    ]);
  } catch (error) {
    await caches.delete(CACHE);
    throw error;
  }
}

/** Runs when no page of another build is open any more. */
async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)));
}

async function page(request) {
  const kept = async () => (await caches.open(CACHE)).match(SCOPE.href);
  const fromNetwork = fetch(request);
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  try {
    const answer = await Promise.race([fromNetwork, late.then(kept)]);
    if (answer && answer.ok) return answer;
  } catch {
    // No network: what is kept.
  }
  return (await kept()) ?? fromNetwork;
}

async function part(request) {
  const kept = await (await caches.open(CACHE)).match(withoutHurry(request.url));
  return kept ?? fetch(request);
}
