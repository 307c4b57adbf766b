// Gives up opening a trace as soon as it is read to a share of `arguments[1]`; milliseconds until the first screen is
// there, or null if the trace was open before that.
const [field, share] = arguments;
const data = new DataTransfer();
data.items.add(field.files[0]);
field.remove();
for (const type of ["dragenter", "dragover", "drop"]) {
  const place = { clientX: innerWidth / 2, clientY: innerHeight / 2 };
  const event = new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true, ...place });
  (document.elementFromPoint(place.clientX, place.clientY) ?? document.body).dispatchEvent(event);
}
const shows = (id) => document.querySelector(`[data-testid=${id}]`);
const frame = () => new Promise((resolve) => seen.nextFrame(resolve));
while (!(seen.share >= share && shows("cancel"))) {
  if (seen.summary) return null;
  await frame();
}
const start = performance.now();
shows("cancel").click();
while (!shows("landing")) await frame();
return performance.now() - start;
