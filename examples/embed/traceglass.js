// A small client of the messages in docs/embed.md, without dependencies. Copy it. The VS Code extension uses it, too.

const VERSION = 1;

/** Returns the address of a Traceglass that this page may control. */
export function addressFor(page) {
  const address = new URL(page, location.href);
  address.searchParams.set("embed", location.origin);
  return address.href;
}

/**
 * Call this before the frame loads: its first message says that it is ready.
 * @param frame an iframe element.
 * @param pageOrigin origin of Traceglass.
 * @returns { on(type, listener), request(type, fields), open(fields) }
 */
export function connect(frame, pageOrigin) {
  const listeners = new Map();
  const waiting = new Map();
  let lastId = 0;

  addEventListener("message", ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== pageOrigin || data?.traceglass !== VERSION) return;
    const answer = waiting.get(data.id);
    if (answer && ["done", "view", "error", "ready"].includes(data.type)) {
      waiting.delete(data.id);
      if (data.type === "error") answer.reject(new Error(data.message));
      else answer.resolve(data);
      return;
    }
    (listeners.get(data.type) ?? []).forEach((listener) => listener(data));
  });
  function post(message, transfer = []) {
    frame.contentWindow.postMessage({ traceglass: VERSION, ...message }, pageOrigin, transfer);
  }

  return {
    /** Calls a function for each event of a type. */
    on(type, listener) {
      listeners.set(type, [...(listeners.get(type) ?? []), listener]);
    },
    /** Sends a request. Rejects with an Error if Traceglass refuses it. */
    request(type, fields = {}) {
      const id = ++lastId;
      const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
      post({ type, id, ...fields });
      return answer;
    },
    /**
     * Opens a trace: { bytes, name, url, view }. `opened` or `failed` follow. An ArrayBuffer is transferred, so it is empty
     * afterwards.
     */
    open(fields) {
      post({ type: "open", id: ++lastId, ...fields }, fields.bytes instanceof ArrayBuffer ? [fields.bytes] : []);
    },
  };
}
