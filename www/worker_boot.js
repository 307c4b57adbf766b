// The first thing that runs in a worker. The page starts it from a blob: address, because such a worker inherits
// the page's content security policy; one started from a network address would be bound by none.
//
// It waits for one message from the page, { js, module, port, saved }: the absolute address of the worker program's
// script, its compiled WebAssembly module, the port over which program and page talk from then on, and, from a page that was
// saved on disk, what others fetch: { rest, unpackJs, unpackWasm, memoryBlobsJs }, programs as bytes and scripts as their
// addresses. It answers { started: true, readsBlobs }, false if files must come as their bytes, or { failed: "why" }.
//
// It gives the program `globalThis.traceglass`:
// docs/page-scripts.md says what that is.
self.onmessage = async ({ data: { js, module, port, saved } }) => {
  self.onmessage = null;
  let unpack = null;
  const rest = { module: null };
  globalThis.traceglass = {
    unpacker: async (coding) => {
      unpack ??= loadUnpack(js, saved).catch((error) => {
        // After a failure (the network was down) the next attempt starts afresh.
        unpack = null;
        throw error;
      });
      return new (await unpack).Unpacker(coding);
    },
    diskFile,
    readersFor: saved ? () => 0 : readersFor,
    reader: () => reader(js, module, rest.module),
  };
  try {
    const readsBlobs = !saved || (await (await import(saved.memoryBlobsJs)).default());
    const program = await import(js);
    globalThis.traceglass.rest = restOf(await program.default({ module_or_path: module }), js, saved, rest);
    program.start(port);
    self.postMessage({ started: true, readsBlobs });
    // A browser without such files has none to remove.
    removeLeftFiles().catch(() => {});
  } catch (error) {
    self.postMessage({ failed: String(error) });
  }
};

/**
 * Returns how to get what `first`, the worker's exports, lacks: it calls what is not there through its table `rest`. Stores
 * its module in `rest`.
 */
function restOf(first, js, saved, rest) {
  // Without a step of the build that divides the program, everything is there.
  if (!first.rest) return () => Promise.resolve();
  const address = saved ? "" : new URL("worker_rest.wasm" + new URL(js).search, js).href;
  const bytesNow = () => (saved ? saved.rest : fetchNow(address + "&now"));
  const compile = () =>
    saved ? WebAssembly.compile(saved.rest) : WebAssembly.compileStreaming(fetchOrThrow(address));
  const add = (module) => {
    if (first.rest.get(1) === null) new WebAssembly.Instance(module, { first });
  };
  first.rest.set(0, asWasmFunction(() => add(new WebAssembly.Module(bytesNow()))));
  let arrival = null;
  return () => {
    if (arrival === null) {
      arrival = compile().then((module) => add((rest.module = module)));
      // After a failure (the network was down) the next attempt starts afresh.
      arrival.catch(() => (arrival = null));
    }
    return arrival;
  };
}

/** A function that tables of WebAssembly take: what a module imports and exports again. */
function asWasmFunction(call) {
  // (module (import "" "" (func)) (export "" (func 0)))
  // prettier-ignore
  const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 5, 1, 0, 0, 0, 0, 7, 4, 1, 0, 0, 0]);
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), { "": { "": call } }).exports[""];
}

async function fetchOrThrow(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(address + " returned " + response.status + " " + response.statusText);
  return response;
}

function fetchNow(address) {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(address + " returned " + request.status + " " + request.statusText);
  return request.response;
}

/** The program lies beside the worker's, and is of the same build. */
async function loadUnpack(js, saved) {
  if (saved) {
    const program = await import(saved.unpackJs);
    await program.default({ module_or_path: saved.unpackWasm });
    return program;
  }
  const { search } = new URL(js);
  const program = await import(new URL("unpack.js" + search, js).href);
  await program.default({ module_or_path: new URL("unpack_bg.wasm" + search, js).href });
  return program;
}

/** Smaller traces are open before further workers could help. */
const READERS_FROM_BYTES = 48e6;

/** The number of further workers that read a trace of this size: two cores stay for the page and for this worker. */
function readersFor(bytes) {
  return bytes < READERS_FROM_BYTES ? 0 : Math.max(0, Math.min(navigator.hardwareConcurrency - 2, 8));
}

let readerAddress = null;

/**
 * Starts a worker with the same program. It answers a buffer and its used length with the same, or with null, and a failure
 * with its text.
 */
function reader(js, module, rest) {
  const script = `let program = null;
    onmessage = async ({ data }) => {
      try {
        if (data.js) {
          program = import(data.js).then(async (it) => {
            const first = await it.default({ module_or_path: data.module });
            if (data.rest) new WebAssembly.Instance(data.rest, { first });
            return it;
          });
        } else {
          const [buffer, length] = data;
          const read = (await program).read_region(new Uint8Array(buffer), length);
          postMessage(read ? [read.buffer, read.length] : null, read ? [read.buffer] : []);
        }
      } catch (error) {
        postMessage(String(error));
      }
    };`;
  readerAddress ??= URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(readerAddress, { type: "module", name: "reader" });
  worker.postMessage({ js, module, rest });
  return worker;
}

const DISK_FILES = "traceglass-";

async function diskFile() {
  const folder = await navigator.storage.getDirectory();
  const name = DISK_FILES + crypto.randomUUID();
  const file = await (await folder.getFileHandle(name, { create: true })).createSyncAccessHandle();
  let size = 0;
  return {
    append(bytes) {
      const written = file.write(bytes, { at: size });
      if (written !== bytes.length) throw new Error("the file was only partly written");
      size += written;
    },
    slice(start, length) {
      const bytes = new Uint8Array(length);
      if (file.read(bytes, { at: start }) !== length) throw new Error("the decompressed file is shorter than expected");
      return bytes;
    },
    remove() {
      file.close();
      // What cannot be removed now is removed by the next worker.
      folder.removeEntry(name).catch(() => {});
    },
  };
}

/** Removes what earlier workers left behind; what others still use is locked and stays. */
async function removeLeftFiles() {
  const folder = await navigator.storage.getDirectory();
  const names = [];
  for await (const name of folder.keys()) names.push(name);
  const left = names.filter((name) => name.startsWith(DISK_FILES));
  await Promise.allSettled(left.map((name) => folder.removeEntry(name)));
}
