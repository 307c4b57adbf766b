// Starts the page. docs/page-scripts.md explains it.
(function () {
  "use strict";

  /** What a page that was saved brings along: its parts, a trace and a view of it. */
  var saved = globalThis.traceglassSaved;
  /** The origin whose page controls this one from around its frame. */
  var embedder = saved ? saved.embedder : parent === window ? null : embedOrigin();
  var ORIGINS = saved ? [] : embedder ? [embedder] : originsOfUrls(location.hash);
  setPolicy(saved ? saved.policy : policy(ORIGINS));
  applyTheme();

  var parts = new Map();
  var spare;
  var chosenTrace;
  var appStarting;
  var scriptAttempts = 0;

  globalThis.traceglass = {
    isSaved: saved !== undefined,
    embedder: embedder,
    prepareWorker: function (build) {
      var worker = startWorker(build);
      spare = { build: build, worker: worker };
      worker.catch(function () {
        if (spare && spare.worker === worker) spare = undefined;
      });
    },
    spawnWorker: spawnWorker,
    prepareApp: function (build) {
      partsOfApp(build).catch(function () {});
    },
    startApp: startApp,
    takeChosen: function () {
      var chosen = chosenTrace;
      chosenTrace = undefined;
      return chosen;
    },
    allowsUrl: function (address) {
      if (saved) return false;
      var origin = originOf(address);
      return ORIGINS.indexOf(origin) >= 0 || (!embedder && origin === location.origin);
    },
    packPage: async function (build, what, goOn) {
      var module = await import(addressOf("save_page.js", build));
      return module.pack(build, what, goOn);
    },
    fatal: fatal,
  };

  addEventListener("error", function (event) {
    if (event.error instanceof WebAssembly.RuntimeError) {
      fatal(event.error.message, event.error.stack || "");
    }
  });
  addEventListener("unhandledrejection", function (event) {
    if (event.reason instanceof WebAssembly.RuntimeError) {
      fatal(event.reason.message, event.reason.stack || "");
    }
  });
  document.addEventListener("DOMContentLoaded", start);


  /** The page may talk to its own host and to nothing else, except the origins a link asked it to load from. */
  function policy(origins) {
    return [
      "default-src 'self'",
      "script-src 'self' 'wasm-unsafe-eval'",
      "worker-src 'self' blob:",
      ["connect-src 'self' blob:"].concat(origins).join(" "),
      "img-src 'self' data: blob:",
      "style-src 'self' 'unsafe-inline'",
      "object-src 'none'",
      "base-uri 'self'",
      "form-action 'none'",
    ].join("; ");
  }

  function setPolicy(content) {
    var meta = document.createElement("meta");
    meta.httpEquiv = "Content-Security-Policy";
    meta.content = content;
    document.head.prepend(meta);
  }

  /** The origins of every `url=` in a hash like `#/summary?v=1&url=https%3A%2F%2Fhost%2Ffile.nettrace`. */
  function originsOfUrls(hash) {
    var question = hash.indexOf("?");
    var urls = question < 0 ? [] : new URLSearchParams(hash.slice(question + 1)).getAll("url");
    return urls.map(originOf).filter(Boolean);
  }

  function embedOrigin() {
    var origin = new URLSearchParams(location.search).get("embed");
    return origin === null ? null : originOf(origin);
  }

  function originOf(address) {
    try {
      var origin = new URL(address, document.baseURI).origin;
      return /^https?:\/\/([\w.-]+|\[[\da-f:]+\])(:\d+)?$/.test(origin) ? origin : null;
    } catch (_) {
      return null;
    }
  }

  /** `localStorage["traceglass.theme"]` is "light" or "dark" when the user chose; otherwise the system decides. */
  function applyTheme() {
    try {
      var theme = localStorage.getItem("traceglass.theme");
      if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    } catch (_) {
    }
  }


  async function start() {
    var missing = missingFeatures();
    if (missing.length > 0) {
      show(
        "This browser is too old for Traceglass",
        "Missing: " + missing.join(", ") + ". Use Chrome or Edge 91, Firefox 114, Safari 16.4, or newer.",
      );
      return;
    }
    try {
      if (saved) await startSaved();
      else {
        if (isViewed()) holdServer();
        await startFirst();
      }
      await appStarting;
      var boot = document.getElementById("boot");
      if (boot) boot.remove();
    } catch (error) {
      fatal("Traceglass couldn't start.", String((error && error.stack) || error));
    }
  }

  async function startFirst() {
    var program = document.querySelector('meta[name="traceglass-program"]').dataset;
    if (embedder) return startApp(program.build || "dev");
    if (program.build && !isViewed()) workOffline();
    var module = await import(absolute(program.js));
    await module.default({ module_or_path: absolute(program.wasm) });
  }

  async function startSaved() {
    if (embedder) return startApp("saved");
    if (location.hash.indexOf("?") < 0) history.replaceState(null, "", saved.view);
    var traces = await saved.traces();
    var view = new URLSearchParams(location.hash.split("?")[1]);
    var named = traces.filter((trace) => trace.file.name === view.get("file"));
    // Both traces of a comparison may have the same name.
    var bytes = (view.get("print") || "").split(".")[0];
    var first = named.find((trace) => String(trace.file.size) === bytes) || named[0] || traces[0];
    startApp("saved", { file: first.file, others: traces.filter((trace) => trace !== first) });
  }

  function workOffline() {
    var saves = navigator.connection && navigator.connection.saveData;
    if (!navigator.serviceWorker || saves) return;
    setTimeout(function () {
      navigator.serviceWorker.register(absolute("sw.js")).catch(function () {});
    }, 5000);
  }

  /** Whether `traceglass view` serves this page. It puts the element into the page. */
  function isViewed() {
    return document.querySelector('meta[name="traceglass-view"]') !== null;
  }

  function holdServer() {
    async function hold() {
      for (var failures = 0; failures < 3; failures++) {
        try {
          await (await fetchOrThrow(absolute("alive"))).text();
          failures = -1;
        } catch (_) {
        }
        await new Promise(function (resolve) {
          setTimeout(resolve, 500);
        });
      }
    }
    if (navigator.locks) navigator.locks.request(absolute("alive"), hold).catch(function () {});
    else hold();
  }

  function startApp(build, chosen) {
    chosenTrace = chosen;
    appStarting = loadApp(build);
    return appStarting;
  }

  async function loadStyles() {
    var kept = document.getElementById("styles-of-a-trace");
    if (!kept) return;
    var links = Array.from(kept.content.cloneNode(true).querySelectorAll("link"));
    var loaded = links.map(function (link) {
      return new Promise(function (resolve, reject) {
        link.onload = resolve;
        link.onerror = function () {
          reject(new Error("Can't load " + link.href));
        };
      });
    });
    kept.before(...links);
    try {
      await Promise.all(loaded);
      kept.remove();
    } catch (error) {
      links.forEach(function (link) {
        link.remove();
      });
      throw error;
    }
  }

  /** The program that opens traces, whose files carry no hash: its script, its WebAssembly module, its stylesheets. */
  function partsOfApp(build) {
    return Promise.all([
      once("script of " + build, function () {
        return importApp(build);
      }),
      once("app of " + build, function () {
        return compile("app_bg.wasm", build);
      }),
      once("styles", loadStyles),
    ]);
  }

  async function importApp(build) {
    var attempt = ++scriptAttempts;
    var address = await scriptOf("app.js", build);
    return import(attempt > 1 ? address + "#" + attempt : address);
  }

  async function loadApp(build) {
    var [script, module] = await partsOfApp(build);
    await script.default({ module_or_path: module });
    await new Promise(function (resolve) {
      setTimeout(resolve, 0);
    });
  }

  function missingFeatures() {
    var missing = [];
    if (typeof WebAssembly !== "object") return ["WebAssembly"];
    if (!supportsSimd()) missing.push("WebAssembly SIMD");
    if (!WebAssembly.compileStreaming) missing.push("streaming compilation of WebAssembly");
    if (typeof DecompressionStream !== "function") missing.push("DecompressionStream");
    if (typeof ResizeObserver !== "function") missing.push("ResizeObserver");
    return missing;
  }

  function supportsSimd() {
    return WebAssembly.validate(
      // prettier-ignore
      new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]),
    );
  }


  function absolute(address) {
    return new URL(address, document.baseURI).href;
  }

  function addressOf(file, build) {
    return absolute(file + "?v=" + encodeURIComponent(build));
  }

  /** What `import` takes for a script of this page. */
  async function scriptOf(file, build) {
    return saved ? saved.script(file) : addressOf(file, build);
  }

  /** What `make` promises under a name; after a failure (the network was down) the next call starts afresh. */
  function once(name, make) {
    if (!parts.has(name)) {
      var ready = make();
      parts.set(name, ready);
      ready.catch(function () {
        parts.delete(name);
      });
    }
    return parts.get(name);
  }

  function compile(file, build) {
    if (saved) return saved.bytes(file).then(WebAssembly.compile);
    return WebAssembly.compileStreaming(fetchOrThrow(addressOf(file, build)));
  }

  /**
   * The worker's program, its first script, where the program's own script lies, and what else a saved page has for it. Once
   * per build: every worker gets the same module, so that starting one takes milliseconds.
   */
  function partsOfWorker(build) {
    return once("worker of " + build, function () {
      return Promise.all([
        compile("worker_bg.wasm", build),
        saved ? saved.bytes("worker_boot.js") : fetchOrThrow(addressOf("worker_boot.js", build)).then(textOf),
        scriptOf("worker.js", build),
        saved && saved.forWorker(),
      ]);
    });
  }

  function textOf(response) {
    return response.text();
  }

  async function fetchOrThrow(address) {
    var response = await fetch(address);
    if (!response.ok) throw new Error(address + " returned " + response.status + " " + response.statusText);
    return response;
  }

  function spawnWorker(build) {
    if (!spare || spare.build !== build) return startWorker(build);
    var worker = spare.worker;
    spare = undefined;
    return worker;
  }

  async function startWorker(build) {
    var [module, script, js, forWorker] = await partsOfWorker(build);
    var address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    var worker = new Worker(address, { type: saved ? "classic" : "module", name: "trace" });
    var channel = new MessageChannel();
    var readsBlobs;
    try {
      readsBlobs = await new Promise(function (resolve, reject) {
        worker.onmessage = function (event) {
          if (event.data.started) resolve(event.data.readsBlobs);
          else reject(new Error(event.data.failed));
        };
        worker.onerror = function (event) {
          reject(new Error(event.message || "couldn't load the worker's script"));
        };
        var first = { js: js, module: module, port: channel.port2, saved: forWorker };
        worker.postMessage(first, [channel.port2]);
      });
    } catch (error) {
      worker.terminate();
      throw error;
    } finally {
      URL.revokeObjectURL(address);
    }
    return {
      port: channel.port1,
      readsBlobs: readsBlobs,
      died: new Promise(function (resolve) {
        worker.onmessage = null;
        worker.onerror = function (event) {
          event.preventDefault();
          resolve(event.message || "the worker stopped");
        };
      }),
      terminate: function () {
        channel.port1.close();
        worker.terminate();
      },
    };
  }


  /** Replaces the "Starting" line by a message. */
  function show(title, text) {
    var boot = document.getElementById("boot");
    boot.setAttribute("role", "alert");
    boot.replaceChildren(element("h1", title), element("p", text));
  }

  /** Covers the page. Only the first failure is shown: what follows it is its consequence. */
  function fatal(message, detail) {
    if (document.querySelector(".fatal")) return;
    var overlay = element("div");
    overlay.className = "fatal";
    overlay.setAttribute("role", "alertdialog");
    overlay.setAttribute("aria-modal", "true");
    overlay.setAttribute("aria-label", "Traceglass stopped");
    var card = element("div");
    card.className = "fatal-card";
    var text = detail ? message + "\n\n" + detail : message;
    var reload = element("button", "Reload");
    reload.onclick = function () {
      location.reload();
    };
    var copy = element("button", "Copy details");
    copy.onclick = async function () {
      try {
        await navigator.clipboard.writeText(text + "\n\n" + navigator.userAgent);
        copy.textContent = "Copied";
      } catch (_) {
        copy.textContent = "Copying blocked by the browser";
      }
    };
    card.append(
      element("h1", "Traceglass stopped"),
      element("p", "This is a bug in Traceglass, not a problem with your trace. Nothing was uploaded and your file is unchanged."),
      element("pre", text),
      reload,
      copy,
    );
    overlay.append(card);
    document.querySelectorAll("dialog[open]").forEach(function (dialog) {
      dialog.close();
    });
    var page = document.body || document.documentElement;
    Array.from(page.children).forEach(function (part) {
      part.inert = true;
    });
    page.append(overlay);
    reload.focus();
  }

  function element(name, text) {
    var node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    return node;
  }
})();
