// Answers the question about a second trace; returns the milliseconds until it is done. Comparing counts from the time
// at which both traces are open.
const [answer] = arguments;
const find = (id) => document.querySelector(`[data-testid="${id}"]`);
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const until = async (is) => {
  while (!is()) await frame();
  return performance.now();
};
const asked = await until(() => find(`second-${answer}`));
const added = Math.max(document.querySelectorAll(".trace-head").length, 1);
find(`second-${answer}`).click();
if (answer === "compare") {
  const open = await until(() => find("compare-running"));
  return (await until(() => find("compare-tables")?.children.length)) - open;
}
return (await until(() => find(`trace-${added}-memory`)?.innerText.endsWith("memory"))) - asked;
