// The first thing that runs in a worker. The page starts it from a blob: address, because such a worker inherits
// the page's content security policy; one started from a network address would be bound by none.
//
// It waits for one message from the page, { js, module, port }: the absolute address of the worker program's
// script, its compiled WebAssembly module, and the port over which program and page talk from then on. It answers
// { started: true } or { failed: "why" }.
//
// It gives the program `globalThis.traceglass`:
//
// unpacker(coding): Promise<Unpacker>
//     A stream decoder of the program beside the worker's that unpacks what browsers do not. Few traces need it, so it
//     is fetched when the first one does.
//
// diskFile(): Promise<{ append(bytes), slice(start, length), remove() }>
//     An empty file of the browser's own for this page (the origin private file system). It stays locked as long as
//     this worker lives, so that what nobody uses any more can be told apart: the next worker removes it.
self.onmessage = async ({ data: { js, module, port } }) => {
  self.onmessage = null;
  let unpack = null;
  globalThis.traceglass = {
    unpacker: async (coding) => {
      unpack ??= loadUnpack(js).catch((error) => {
        // After a failure (the network was down) the next attempt starts afresh.
        unpack = null;
        throw error;
      });
      return new (await unpack).Unpacker(coding);
    },
    diskFile,
  };
  try {
    const program = await import(js);
    await program.default({ module_or_path: module });
    program.start(port);
    self.postMessage({ started: true });
    // A browser without such files has none to remove.
    removeLeftFiles().catch(() => {});
  } catch (error) {
    self.postMessage({ failed: String(error) });
  }
};

/** The program lies beside the worker's, and is of the same build. */
async function loadUnpack(js) {
  const { search } = new URL(js);
  const program = await import(new URL("unpack.js" + search, js).href);
  await program.default({ module_or_path: new URL("unpack_bg.wasm" + search, js).href });
  return program;
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
      if (written !== bytes.length) throw new Error("not everything was written");
      size += written;
    },
    slice(start, length) {
      const bytes = new Uint8Array(length);
      if (file.read(bytes, { at: start }) !== length) throw new Error("what was unpacked is shorter than it was");
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
