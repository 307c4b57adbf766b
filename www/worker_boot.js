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
  };
  try {
    const program = await import(js);
    await program.default({ module_or_path: module });
    program.start(port);
    self.postMessage({ started: true });
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
