// Opens every track of the timeline, threads with the levels of their stacks, and goes back to the top. Returns how many.
const tracks = document.querySelector(".tracks");
const frames = async (count) => {
  for (let at = 0; at < count; at++) await new Promise((resolve) => seen.nextFrame(resolve));
};
const opened = new Set();
for (let top = 0; top <= tracks.scrollHeight; top += tracks.clientHeight) {
  tracks.scrollTop = top;
  // What is opened moves others into view: as long as there are new ones.
  for (;;) {
    await frames(3);
    const closed = [...tracks.querySelectorAll("[role=treeitem][aria-expanded=false]")];
    const fresh = closed.filter((head) => !opened.has(head.id));
    if (fresh.length === 0) break;
    for (const head of fresh) {
      opened.add(head.id);
      head.querySelector(".twist").click();
    }
  }
}
tracks.scrollTop = 0;
await frames(30);
return opened.size;
