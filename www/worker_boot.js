// The first thing that runs in a worker. The page starts it from a blob: address, because such a worker inherits
// the page's content security policy; one started from a network address would be bound by none.
//
// It waits for one message from the page, { js, module, port }: the absolute address of the worker program's
// script, its compiled WebAssembly module, and the port over which program and page talk from then on. It answers
// { started: true } or { failed: "why" }.
self.onmessage = async ({ data: { js, module, port } }) => {
  self.onmessage = null;
  try {
    const program = await import(js);
    await program.default({ module_or_path: module });
    program.start(port);
    self.postMessage({ started: true });
  } catch (error) {
    self.postMessage({ failed: String(error) });
  }
};
