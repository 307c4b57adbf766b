// Opens every page of answers that the trace has events for, each for the first time; returns how long each took from
// the click until its words stand.
const figures = {};
const LIMIT_MS = 60_000;
const frame = () => new Promise((resolve) => seen.nextFrame(resolve));
for (const tab of document.querySelectorAll("[role=tab][data-testid^=tab-]:not(.without)")) {
  const slug = tab.dataset.testid.slice("tab-".length);
  const start = performance.now();
  tab.click();
  await frame();
  const page = document.querySelector(`.topic.of-${slug}`);
  if (page === null) continue;
  while (!page.querySelector("[data-testid=topic-verdict]")?.textContent && performance.now() < start + LIMIT_MS) await frame();
  figures[`topic_${slug}_ms`] = performance.now() - start;
}
return figures;
