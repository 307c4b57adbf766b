// Zooms in and out over the whole trace, and pans across it when zoomed in, by turning the wheel once a frame. Notes per
// frame what the page's script took (listeners, animation callbacks, answers of the worker), what that and drawing took
// together on the page's thread, and when the next frame came. `arguments[0]` is what the figures begin with.
const lanes = document.querySelector("[data-testid=lanes]");
const area = lanes.getBoundingClientRect();
// After a frame was drawn the browser goes on with what waits: this message.
const drawn = new seen.Channel();
const frame = () =>
  new Promise((resolve) =>
    seen.nextFrame((now) => {
      const start = performance.now();
      drawn.port1.onmessage = () => resolve([now, performance.now() - start]);
      drawn.port2.postMessage(null);
    }),
  );
const wheel = seen.timed((turn) => {
  const place = { clientX: area.left + area.width / 2, clientY: area.top + area.height / 3 };
  lanes.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, ...place, ...turn }));
});
const script = [];
const busy = [];
const intervals = [];
const before = seen.messages;
let [last] = await frame();
const turn = async (times, how) => {
  for (let at = 0; at < times; at++) {
    [seen.script, seen.inFrames] = [0, 0];
    // First in line, so that everything else that the frame calls comes after the start.
    const next = frame();
    wheel(how);
    const [now, drawing] = await next;
    script.push(seen.script);
    // What runs inside of the frame is in both.
    busy.push(seen.script - seen.inFrames + drawing);
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
const figures = { frames: intervals.length, frame_messages: seen.messages - before };
for (const [name, values] of Object.entries({ script, busy, interval: intervals })) {
  figures[`frame_${name}_p50_ms`] = share(values, 0.5);
  figures[`frame_${name}_p95_ms`] = share(values, 0.95);
  figures[`frame_${name}_max_ms`] = share(values, 1);
}
return Object.fromEntries(Object.entries(figures).map(([name, value]) => [arguments[0] + name, value]));
