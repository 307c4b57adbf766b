// The page around the viewer. It controls the viewer by the messages of docs/embed.md, and by nothing else.

import { connect } from "./traceglass.js";

const script = document.querySelector("script[data-page]");
const { page, trace, name } = script.dataset;
const message = document.getElementById("message");
const viewer = document.getElementById("viewer");
const editor = acquireVsCodeApi();
// The frame has this page's origin: its content comes from here.
const traceglass = connect(viewer, self.origin);

traceglass.on("ready", async () => {
  followTheme();
  try {
    const response = await fetch(trace);
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    traceglass.open({ name, bytes: await response.blob(), view: editor.getState()?.view });
  } catch (error) {
    fail(`Can't read ${name}: ${error.message}`);
  }
});
traceglass.on("view", ({ view }) => editor.setState({ view }));

start().catch((error) => fail(`Can't start Traceglass: ${error.message}`));

async function start() {
  // Frames in an editor can't fetch files of the extension, so the frame gets all of them at once.
  const { embeddable } = await import(new URL("save_page.js", page).href);
  viewer.srcdoc = await embeddable(page, script.nonce);
  viewer.hidden = false;
  message.hidden = true;
}

function fail(text) {
  message.setAttribute("role", "alert");
  message.textContent = text;
  message.hidden = false;
  viewer.hidden = true;
}

/** The editor names the kind of its theme in an attribute of the body. */
function followTheme() {
  const apply = () => {
    const theme = /light/.test(document.body.dataset.vscodeThemeKind) ? "light" : "dark";
    traceglass.request("setTheme", { theme });
  };
  new MutationObserver(apply).observe(document.body, { attributeFilter: ["data-vscode-theme-kind"] });
  apply();
}
