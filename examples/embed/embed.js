// Opens traces in a framed Traceglass. docs/embed.md documents the messages.
//
// Where Traceglass is: `?traceglass=https://traceglass.example/`. Without it, two folders above this page.

import { addressFor, connect } from "./traceglass.js";

const element = (id) => document.getElementById(id);
const page = addressFor(new URLSearchParams(location.search).get("traceglass") ?? "../../");
const traceglass = connect(element("frame"), new URL(page).origin);
let savedView = null;

traceglass.on("ready", () => {
  element("file").disabled = false;
  element("status").value = "Choose a trace.";
});
traceglass.on("progress", ({ bytes, totalBytes }) => {
  element("status").value = totalBytes > 0 ? `${Math.round((100 * bytes) / totalBytes)}%` : `${bytes} bytes`;
});
traceglass.on("opened", ({ name, events }) => {
  element("status").value = `${name}: ${events.toLocaleString("en")} events`;
  for (const id of ["stacks", "save"]) element(id).disabled = false;
});
traceglass.on("failed", ({ message }) => {
  element("status").value = message;
});
// Names in a selection come from the trace: show them as text, never as HTML.
traceglass.on("selection", ({ selection }) => {
  element("selection").value = selection === null ? "none" : JSON.stringify(selection);
});

element("file").addEventListener("change", ({ target }) => {
  // A File is passed on without a copy, however large it is.
  if (target.files[0]) traceglass.open({ bytes: target.files[0] });
});
element("stacks").addEventListener("click", () => traceglass.request("setView", { view: "#/stacks?v=1" }));
element("save").addEventListener("click", async () => {
  savedView = (await traceglass.request("getView")).view;
  element("restore").disabled = false;
});
element("restore").addEventListener("click", () => traceglass.request("setView", { view: savedView }));

element("frame").src = page;
