//! Browser test of the VS Code extension's page, with stand-ins for what the editor provides.

use serde_json::json;
use std::path::Path;
use traceglass_e2e::{Page, Step, Trouble, browser_test, fixtures};
use xtask::server::Server;

/// `acquireVsCodeApi`, whose state survives a reload.
const EDITOR: &str = "<script nonce=\"n0nce\">
  globalThis.acquireVsCodeApi = () => ({
    getState: () => JSON.parse(sessionStorage.getItem('state')) ?? undefined,
    setState: (state) => sessionStorage.setItem('state', JSON.stringify(state)),
  });
</script>";

fn read(path: &Path) -> Step<Vec<u8>> {
    std::fs::read(path).map_err(|error| Trouble(format!("{}: {error}", path.display())))
}

/// Serves the extension's files and a trace, as the editor does with another origin than that of its pages.
fn resources() -> Step<Server> {
    let server = Server::start(&fixtures::source("editors/vscode"), "/extension/", 0)?;
    server.replace("traceglass.js", read(&fixtures::source("examples/embed/traceglass.js"))?);
    server.replace("app.nettrace", read(&fixtures::unpacked("short-net10.nettrace")?)?);
    // Builds for development don't divide the worker.
    server.replace("page/worker_rest.wasm", Vec::new());
    let files = std::fs::read_dir(fixtures::dist()).map_err(|error| Trouble(format!("the page: {error}")))?;
    for path in files.flatten().map(|file| file.path()).filter(|path| path.is_file()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        server.replace(&format!("page/{name}"), read(&path)?);
    }
    Ok(server)
}

/// Returns the page that `extension.js` gives to the editor.
fn host_page(resources: &Server) -> Step<String> {
    let html = String::from_utf8_lossy(&read(&fixtures::source("editors/vscode/host.html"))?).into_owned();
    let address = resources.address();
    let values = [
        ("nonce", "n0nce".to_owned()),
        ("source", address.trim_end_matches("/extension/").to_owned()),
        ("host", format!("{address}host.js")),
        ("page", format!("{address}page/")),
        ("trace", format!("{address}app.nettrace")),
        ("name", "app.nettrace".to_owned()),
    ];
    let html = values.iter().fold(html, |html, (name, value)| html.replace(&format!("{{{{{name}}}}}"), value));
    let html = html.replace("<title>", &format!("{EDITOR}<title>"));
    let html = html.replace("<body>", "<body data-vscode-theme-kind=\"vscode-dark\">");
    if html.contains("{{") { Err(Trouble(format!("a value is missing: {html}"))) } else { Ok(html) }
}

#[browser_test]
async fn editor_opens_trace_and_restores_view(page: &Page) -> Step {
    let resources = resources()?;
    page.server.replace("editor.html", host_page(&resources)?.into_bytes());
    page.browser().goto(format!("{}editor.html", page.server.address())).await?;
    page.browser().enter_frame(0).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    page.text_when("file-name", |text| text == "app.nettrace").await?;
    page.until("the theme is the editor's", "return document.documentElement.dataset.theme === 'dark'").await?;
    page.click("tab-events").await?;
    page.click("event-name").await?;
    page.text_when("detail-name", |text| !text.is_empty()).await?;
    page.screenshot("editor").await?;
    // The viewer has everything, and may not ask anybody for more.
    let fetch = "return fetch(arguments[0]).then(() => 'answered', () => 'refused')";
    assert_eq!(page.run_async(fetch, [json!(format!("{}app.nettrace", resources.address()))]).await?, "refused");
    page.browser().enter_default_frame().await?;
    let saved = "return (sessionStorage.getItem('state') ?? '').includes('sel=event.')";
    page.until("the editor has the view", saved).await?;

    page.browser().refresh().await?;
    page.browser().enter_frame(0).await?;
    page.text_when("detail-name", |text| !text.is_empty()).await?;
    page.find("event-name").await?;
    page.browser().enter_default_frame().await?;
    // A script beside the trace doesn't run.
    let insert = "const script = document.createElement('script');
        script.src = arguments[0];
        const outcome = new Promise((resolve) => { script.onload = () => resolve('ran'); script.onerror = () => resolve('refused'); });
        document.head.append(script);
        return outcome;";
    let address = format!("{}traceglass.js", resources.address());
    assert_eq!(page.run_async(insert, [json!(address)]).await?, "refused");
    let shown = page.run("return [document.getElementById('message').hidden, frames.length]", []).await?;
    assert_eq!(shown, json!([true, 1]));
    Ok(())
}
