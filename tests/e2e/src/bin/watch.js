// Runs in the page before everything else: notes what opening a trace costs. `seen` is what it saw; times are
// milliseconds since the page began to load.
globalThis.seen = {
  started: null, // the first screen stands
  dropped: null,
  firstPixels: null, // something of the trace is drawn
  usable: null, // the timeline is there
  complete: null, // nothing is asked any more, and the last answer is drawn
  drawable: false, // the first density of events has come
  summary: null,
  asked: 0,
  tasks: [], // what blocked the page: start and duration
  share: 0, // of the file that was read
  script: 0, // milliseconds that animation callbacks and messages of the worker have taken
  inFrames: 0, // of this, animation callbacks
  messages: 0, // questions sent
  nextFrame: requestAnimationFrame.bind(globalThis), // not counted as script
};
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) seen.tasks.push([task.startTime, task.duration]);
}).observe({ type: "longtask", buffered: true });

// A call that counts as script, with the promises that it settles: they run right after it, one after the other.
seen.timed = (call, count = (ms) => (seen.script += ms)) =>
  function (...args) {
    const start = performance.now();
    let rounds = 20;
    const settle = () => (rounds-- > 0 ? queueMicrotask(settle) : count(performance.now() - start));
    try {
      return call.apply(this, args);
    } finally {
      settle();
    }
  };
globalThis.requestAnimationFrame = (callback) => 
  seen.nextFrame(
    seen.timed(callback, (ms) => {
      seen.script += ms;
      seen.inFrames += ms;
    }),
  );

// The conversation with the worker goes through a channel that boot.js makes.
const Channel = (seen.Channel = MessageChannel);
globalThis.MessageChannel = function () {
  const channel = new Channel();
  const post = channel.port1.postMessage.bind(channel.port1);
  channel.port1.postMessage = (message, ...rest) => {
    if (Array.isArray(message) && !message[0].Cancel) seen.asked += 1;
    if (Array.isArray(message)) seen.messages += 1;
    post(message, ...rest);
  };
  // Questions of the measurement itself, under ids that the page does not use: what came, and after how long.
  const own = new Map();
  seen.ask = (request, trace = 1) =>
    new Promise((resolve, reject) => {
      const id = 2 ** 31 + own.size;
      own.set(id, [resolve, performance.now()]);
      // A question that the worker cannot read is answered to nobody.
      own.set(0, [({ result }) => reject(new Error(JSON.stringify(result)))]);
      post([{ Ask: { id, generation: 0, trace, request } }, null]);
    });
  const { get, set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage");
  Object.defineProperty(channel.port1, "onmessage", {
    get: () => get.call(channel.port1),
    set: (listener) => set.call(channel.port1, listener && seen.timed(listener)),
  });
  channel.port1.addEventListener("message", ({ data }) => {
    if (own.has(data[0]?.id)) {
      const [resolve, asked] = own.get(data[0].id);
      return resolve({ ms: performance.now() - asked, result: data[0].result, body: data[1] });
    }
    const answer = data[0]?.result?.Ok;
    if (answer?.Progress?.overview.length > 0) seen.drawable = true;
    if (answer?.Progress) seen.share = Number(answer.Progress.bytes) / Number(answer.Progress.total_bytes);
    // A preview is no last word either: the rest of the trace is still being read.
    if (data[0]?.result === undefined || answer?.Progress || answer?.Preview) return;
    if (answer?.Summary) seen.summary ??= answer.Summary;
    seen.asked -= 1;
    seen.complete = null;
  });
  return channel;
};

addEventListener("drop", () => (seen.dropped = performance.now()), { capture: true, once: true });
const shows = (selector) => (document.querySelector(selector)?.clientHeight ?? 0) > 0;
seen.nextFrame(function look() {
  const now = performance.now();
  if (document.body && !document.getElementById("boot")) seen.started ??= now;
  if (seen.dropped !== null) {
    const hasTimeline = shows("[data-testid=timeline]");
    if (hasTimeline || (seen.drawable && shows("[data-testid=loading-overview]"))) seen.firstPixels ??= now;
    if (hasTimeline) seen.usable ??= now;
    if (seen.usable !== null && seen.asked === 0) seen.complete ??= now;
  }
  seen.nextFrame(look);
});
