// Files and folders of the user. docs/page-scripts.md explains it.
(function () {
  "use strict";

  const MOST = 10;
  const STORE = "files";
  /** In `localStorage` while the list is not empty: that can be asked at once. */
  const HAS_KEPT = "traceglass.recent";

  /** Of files that were chosen since the page started: a promise of each one's handle. */
  const handles = new WeakMap();
  /** What `list` returned, by id. */
  const listed = new Map();
  /** Files that were dropped or chosen with the one that was opened. */
  let more = [];
  // Before the page handles it.
  addEventListener("change", ({ target }) => target.type === "file" && (more = [...target.files].slice(1)), true);

  const areKept =
    typeof showOpenFilePicker === "function" && typeof indexedDB === "object" && location.protocol !== "file:";

  globalThis.traceglass.files = {
    areKept,
    hasKept: areKept && wasNoted(),
    pick,
    dropped,
    takeMore: () => more.splice(0),
    launched,
    handleOf: async (file) => handles.get(file),
    opened,
    list,
    mayOpen,
    open,
    forget,
    canStream: typeof showSaveFilePicker === "function",
    stream,
  };

  async function pick() {
    try {
      const files = await Promise.all((await showOpenFilePicker({ multiple: true })).map(fileOf));
      more = files.slice(1);
      return files[0];
    } catch (error) {
      if (error.name === "AbortError") return null;
      throw error;
    }
  }

  async function stream(name) {
    try {
      const handle = await showSaveFilePicker({ suggestedName: name });
      return await handle.createWritable();
    } catch (error) {
      if (error.name === "AbortError") return null;
      throw error;
    }
  }

  async function fileOf(handle) {
    const file = await handle.getFile();
    handles.set(file, Promise.resolve(handle));
    return file;
  }

  function dropped(data) {
    const [file, ...rest] = data.files;
    more = rest;
    const item = [...data.items].find(({ kind }) => kind === "file");
    if (file && item && item.getAsFileSystemHandle) handles.set(file, item.getAsFileSystemHandle().catch(() => null));
  }

  function launched(open) {
    if (!("launchQueue" in globalThis)) return;
    launchQueue.setConsumer(async ({ files }) => {
      if (files && files.length > 0) open(await fileOf(files[0]));
    });
  }

  async function opened(file) {
    if (!areKept) return;
    const handle = await handles.get(file);
    if (!handle || handle.kind !== "file") return;
    const entries = await list();
    const areSame = await Promise.all(entries.map(({ id }) => listed.get(id).isSameEntry(handle)));
    const others = entries.filter((_, index) => !areSame[index]);
    const gone = [...entries.filter((_, index) => areSame[index]), ...others.slice(MOST - 1)];
    await inStore("readwrite", (store) => {
      gone.forEach(({ id }) => store.delete(id));
      return store.add({ handle, name: file.name, bytes: file.size, opened: Date.now() });
    });
    localStorage.setItem(HAS_KEPT, "yes");
  }

  function wasNoted() {
    try {
      return localStorage.getItem(HAS_KEPT) !== null;
    } catch {
      return false;
    }
  }

  async function list() {
    const entries = await inStore("readonly", (store) => store.getAll());
    listed.clear();
    entries.forEach(({ id, handle }) => listed.set(id, handle));
    const latestFirst = entries.sort((one, other) => other.opened - one.opened);
    return latestFirst.map(({ id, name, bytes, opened }) => ({ id, name, bytes, opened }));
  }

  async function mayOpen(id) {
    return (await listed.get(id).queryPermission({ mode: "read" })) === "granted";
  }

  async function open(id) {
    const handle = listed.get(id);
    if (!(await mayOpen(id)) && (await handle.requestPermission({ mode: "read" })) !== "granted") {
      throw new Error("The browser isn't allowed to read this file.");
    }
    return fileOf(handle);
  }

  async function forget(id) {
    await inStore("readwrite", (store) => (id === undefined ? store.clear() : store.delete(id)));
    if ((await list()).length === 0) localStorage.removeItem(HAS_KEPT);
  }

  /** What a request to the store of handles answers. */
  async function inStore(mode, ask) {
    const base = await new Promise((resolve, reject) => {
      const request = indexedDB.open("traceglass", 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id", autoIncrement: true });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    try {
      return await new Promise((resolve, reject) => {
        const transaction = base.transaction(STORE, mode);
        const request = ask(transaction.objectStore(STORE));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error);
      });
    } finally {
      base.close();
    }
  }
})();
