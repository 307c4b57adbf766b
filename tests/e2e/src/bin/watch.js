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
};
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) seen.tasks.push([task.startTime, task.duration]);
}).observe({ type: "longtask", buffered: true });

// The conversation with the worker goes through a channel that boot.js makes.
const Channel = MessageChannel;
globalThis.MessageChannel = function () {
  const channel = new Channel();
  const post = channel.port1.postMessage.bind(channel.port1);
  channel.port1.postMessage = (message, ...rest) => {
    if (Array.isArray(message) && !message[0].Cancel) seen.asked += 1;
    post(message, ...rest);
  };
  channel.port1.addEventListener("message", ({ data }) => {
    const answer = data[0]?.result?.Ok;
    if (answer?.Progress?.overview.length > 0) seen.drawable = true;
    if (data[0]?.result === undefined || answer?.Progress) return;
    if (answer?.Summary) seen.summary ??= answer.Summary;
    seen.asked -= 1;
    seen.complete = null;
  });
  return channel;
};

addEventListener("drop", () => (seen.dropped = performance.now()), { capture: true, once: true });
const shows = (selector) => (document.querySelector(selector)?.clientHeight ?? 0) > 0;
requestAnimationFrame(function look() {
  const now = performance.now();
  if (document.body && !document.getElementById("boot")) seen.started ??= now;
  if (seen.dropped !== null) {
    const hasTimeline = shows("[data-testid=timeline]");
    if (hasTimeline || (seen.drawable && shows("[data-testid=loading-overview]"))) seen.firstPixels ??= now;
    if (hasTimeline) seen.usable ??= now;
    if (seen.usable !== null && seen.asked === 0) seen.complete ??= now;
  }
  requestAnimationFrame(look);
});
