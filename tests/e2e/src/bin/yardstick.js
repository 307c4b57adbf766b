// Scans the file's event headers in a worker of its own, with the program that opens traces. What comes out is the median
// of several scans after a first one: by then the engine has optimised the code, and there is room for all events. The same
// for the way in which opening reads. Then it copies memory, which no reader can beat: megabytes a second.
const boot = `onmessage = async ({ data: { js, wasm, file } }) => {
  try {
    const program = await import(js);
    await program.default({ module_or_path: wasm });
    const [, events] = await program.scan_headers(file, 0, false);
    const scan = async (streams) => {
      const scans = [];
      for (let run = 0; run < 5; run++) scans.push(await program.scan_headers(file, events, streams));
      return scans.sort(([one], [other]) => one - other)[2];
    };
    const [sliced, streamed] = [await scan(false), await scan(true)];
    const [from, to] = [new Uint8Array(1 << 26).fill(1), new Uint8Array(1 << 26).fill(2)];
    const start = performance.now();
    for (let run = 0; run < 8; run++) to.set(from);
    postMessage({ figures: [...sliced, streamed[0], (8 * to.length) / 1e3 / (performance.now() - start)] });
  } catch (error) {
    postMessage({ error: String(error) });
  }
}`;
const worker = new Worker(URL.createObjectURL(new Blob([boot], { type: "text/javascript" })), { type: "module" });
const absolute = (address) => new URL(address, document.baseURI).href;
const outcome = await new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = (event) => reject(new Error(event.message));
  worker.postMessage({ js: absolute("worker.js"), wasm: absolute("worker_bg.wasm"), file: arguments[0].files[0] });
});
worker.terminate();
if (outcome.error) throw new Error(outcome.error);
return outcome.figures;
