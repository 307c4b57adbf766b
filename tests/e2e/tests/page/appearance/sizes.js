// What is wrong with the layout of what is on screen, a line each: what sticks out of the window, what is cut off, and
// what can be clicked but lies under something else.
const place = (element) => {
  const named = element.closest("[data-testid]") ?? element;
  const name = element.dataset.testid ?? element.getAttribute("aria-label") ?? element.textContent;
  return `${element.localName} "${name.trim().slice(0, 40)}" in ${named.dataset.testid ?? named.className}`;
};
const isSeen = (element) => {
  const { width, height } = element.getBoundingClientRect();
  // One pixel: for screen readers only.
  return width > 1 && height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
};
/** What of an element its ancestors let through, and whether the rest can be scrolled to. */
const through = (element) => {
  const box = element.getBoundingClientRect();
  let { left, top, right, bottom } = box;
  let canScroll = false;
  for (let above = element.parentElement; above !== null; above = above.parentElement) {
    const { overflowX, overflowY } = getComputedStyle(above);
    if (above === document.body || above === document.documentElement || (overflowX === "visible" && overflowY === "visible")) continue;
    const frame = above.getBoundingClientRect();
    const isCut = box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
    if (isCut && [overflowX, overflowY].some((overflow) => overflow === "auto" || overflow === "scroll")) canScroll = true;
    [left, top, right, bottom] = [Math.max(left, frame.left), Math.max(top, frame.top), Math.min(right, frame.right), Math.min(bottom, frame.bottom)];
  }
  return { box, left, top, right, bottom, canScroll };
};
/** The middle of an element; null if that is out of the window. */
const middle = (element) => {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return y < 0 || y >= innerHeight || x < 0 || x >= innerWidth ? null : [x, y];
};
/** What lies over the middle of an element, if that is in the window. */
const over = (element) => {
  const at = middle(element);
  if (at === null) return null;
  const [x, y] = at;
  const hit = document.elementFromPoint(x, y);
  const isOwn = hit === null || element.contains(hit) || hit.contains(element) || hit.closest("label")?.control === element;
  return isOwn ? null : hit;
};
/** Whether the page scrolls an element out from under something that stays in sight. */
const comesOut = (element) => {
  const { scrollX, scrollY } = window;
  element.scrollIntoView({ block: "start", behavior: "instant" });
  const isOut = middle(element) !== null && over(element) === null;
  window.scrollTo({ left: scrollX, top: scrollY, behavior: "instant" });
  return isOut;
};

const found = [];
if (document.documentElement.scrollWidth > innerWidth + 1) found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
const head = document.querySelector(".app > .topbar + div");
if (head !== null) {
  const bottoms = [...head.children].map((child) => child.getBoundingClientRect().bottom);
  const empty = Math.round(head.getBoundingClientRect().bottom - Math.max(...bottoms));
  if (empty > 1) found.push(`${empty} px above the timeline are empty`);
}
const dialog = document.querySelector("dialog[open]");
for (const part of dialog?.children ?? []) {
  if (part.scrollWidth > part.clientWidth + 1) found.push(`the dialog scrolls sideways, to ${part.scrollWidth} px`);
}
// Rows of tables and tracks that scroll on their own end where their table does.
const inRows = "[role=row], [role=treeitem]";
for (const element of (dialog ?? document.body).querySelectorAll("button, a[href], input, select, summary, [role=tab]")) {
  if (!isSeen(element) || element.closest(inRows)) continue;
  const { box, left, top, right, bottom, canScroll } = through(element);
  if (canScroll) continue;
  if (box.left < -1 || box.right > innerWidth + 1) found.push(`out of the window: ${place(element)}`);
  else if (left > box.left + 1 || right < box.right - 1 || top > box.top + 1 || bottom < box.bottom - 1) found.push(`cut: ${place(element)}`);
  const hit = over(element);
  const stays = hit?.closest(".drawer");
  if (hit !== null && !(stays && getComputedStyle(stays).position === "sticky" && comesOut(element))) {
    found.push(`under ${place(hit)}: ${place(element)}`);
  }
}
for (const element of (dialog ?? document.body).querySelectorAll("h1, h2, h3, button, label, dt, dd, p, summary, [role=tab]")) {
  if (!isSeen(element) || element.closest(inRows)) continue;
  const { overflowX, textOverflow } = getComputedStyle(element);
  const isCut = element.scrollWidth > element.clientWidth + 1 && overflowX !== "visible";
  if (isCut && textOverflow !== "ellipsis" && overflowX !== "auto") found.push(`text is cut: ${place(element)}`);
}
// Words end in dots where there is no room; a number without its end is another number.
const isNumber = /^[<≤−-]?\s?\d[\d.,]*(\s?(%|[kMGT]?B|ns|µs|ms|s))?$/;
for (const element of (dialog ?? document.body).querySelectorAll("span, td, dd, small, b, div, code")) {
  if (element.childElementCount > 0 || !isNumber.test(element.textContent.trim()) || !isSeen(element)) continue;
  // A payload is one line that ends in dots; its tooltip and the details have all of it.
  if (element.closest("[data-testid=event-payload]")) continue;
  const { box, left, right, canScroll } = through(element);
  // For screen readers only.
  if (right - left <= 1) continue;
  const { display, overflowX, paddingLeft, paddingRight } = getComputedStyle(element);
  const words = document.createRange();
  words.selectNodeContents(element);
  // Dots come as soon as a fraction of a pixel is missing, which a scroll width doesn't show.
  const room = element.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  // What stands within a line has no width of its own and cuts nothing.
  const isShort = display !== "inline" && overflowX !== "visible" && words.getBoundingClientRect().width > room + 0.1;
  if (isShort || (!canScroll && right > box.left && right < box.right - 1)) found.push(`the number ${element.textContent} is cut: ${place(element)}`);
}
// An analysis shows rows of its table, not only charts.
const rows = document.querySelector(".topic:not([hidden]) .report-rows");
if (rows !== null && innerWidth > 900) {
  const seen = [...rows.querySelectorAll("[data-testid=report-row]")].filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    const place = through(row);
    return place.top <= top + 1 && place.bottom >= bottom - 1;
  }).length;
  const all = Number(document.querySelector("[data-testid=topic-rows]").textContent.replace(/\D/g, ""));
  if (seen < Math.min(3, all)) found.push(`${seen} of ${all} rows are visible`);
}
// Its tools need one line.
const tools = document.querySelector(".topic:not([hidden]) > .tools:not([hidden])");
const needed = tools === null ? 0 : Math.round(tools.getBoundingClientRect().height);
if (innerWidth > 900 && needed > 40 && document.querySelector(".drawer") === null) found.push(`tools of the analysis are ${needed} px high`);
return found;
