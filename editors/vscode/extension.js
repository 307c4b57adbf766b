// Shows traces in editors. The page around the viewer (host.html, host.js) does the rest.
"use strict";

const vscode = require("vscode");

const HOST = "host.html";

exports.activate = (context) => {
  const editors = vscode.window.registerCustomEditorProvider("traceglass.trace", provider(context.extensionUri), {
    // Opening a trace again would take seconds.
    webviewOptions: { retainContextWhenHidden: true },
  });
  context.subscriptions.push(editors);
};

function provider(extension) {
  return {
    openCustomDocument: (uri) => ({ uri, dispose() {} }),
    async resolveCustomEditor({ uri }, { webview }) {
      const folder = vscode.Uri.joinPath(uri, "..");
      webview.options = { enableScripts: true, localResourceRoots: [extension, folder] };
      const html = new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extension, HOST)));
      const values = {
        nonce: nonce(),
        source: webview.cspSource,
        host: webview.asWebviewUri(vscode.Uri.joinPath(extension, "host.js")),
        page: `${webview.asWebviewUri(vscode.Uri.joinPath(extension, "page"))}/`,
        trace: webview.asWebviewUri(uri),
        name: uri.path.split("/").pop(),
      };
      webview.html = html.replace(/{{(\w+)}}/g, (_, name) => escaped(String(values[name])));
    },
  };
}

/** Unpredictable, so that no other script runs in the page. */
function nonce() {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
}
