// Zooms in and out over the whole trace, and pans across it when zoomed in, by turning the wheel once a frame. Notes per
// frame what the page's script took (listeners, animation callbacks, answers of the worker) and when the next one came.
const lanes = document.querySelector("[data-testid=lanes]");
const area = lanes.getBoundingClientRect();
const frame = () => new Promise((resolve) => seen.nextFrame(resolve));
const wheel = seen.timed((turn) => {
  const place = { clientX: area.left + area.width / 2, clientY: area.top + area.height / 3 };
  lanes.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, ...place, ...turn }));
});
const script = [];
const intervals = [];
const before = seen.messages;
let last = await frame();
const turn = async (times, how) => {
  for (let at = 0; at < times; at++) {
    seen.script = 0;
    wheel(how);
    const now = await frame();
    script.push(seen.script);
    intervals.push(now - last);
    last = now;
  }
};
const zoom = (down) => ({ ctrlKey: true, deltaY: down });
const pan = (across) => ({ deltaX: across });
await turn(60, zoom(-60));
await turn(60, zoom(60));
await turn(25, zoom(-60));
await turn(60, pan(90));
await turn(120, pan(-90));
await turn(30, zoom(60));
const share = (values, part) => values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
return {
  frames: intervals.length,
  frame_messages: seen.messages - before,
  frame_script_p50_ms: share(script, 0.5),
  frame_script_p95_ms: share(script, 0.95),
  frame_script_max_ms: share(script, 1),
  frame_interval_p50_ms: share(intervals, 0.5),
  frame_interval_p95_ms: share(intervals, 0.95),
  frame_interval_max_ms: share(intervals, 1),
};
