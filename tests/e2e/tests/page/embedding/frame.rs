//! Page of another origin with the page in a frame.

use serde_json::{Value, json};
use std::cell::Cell;
use traceglass_e2e::{Page, Step, Trouble, fixtures};
use xtask::server::Server;

/// Time limit for a message, in milliseconds.
const PATIENCE_MS: u32 = 30_000;

/// Server of the example page, with another origin than the page.
pub struct Host {
    server: Server,
    page: String,
    history: Cell<u64>,
}

/// Returns the type of a message.
pub fn type_of(message: &Value) -> &str {
    message["type"].as_str().unwrap_or_default()
}

impl Host {
    /// Starts the server.
    pub fn start(page: &Page) -> Step<Self> {
        let server = Server::start(&fixtures::source("examples/embed"), "/host/", 0)?;
        let trace = std::fs::read(fixtures::compressed("short-net10.nettrace"));
        server.replace("trace.nettrace.gz", trace.map_err(|error| Trouble(format!("the trace: {error}")))?);
        let empty = "<!doctype html><title>Host</title><script src=\"host.js\"></script><iframe></iframe>";
        server.replace("host.html", empty.into());
        // Every message of the frame, in order.
        let record = "window.messages = [];
            addEventListener('message', ({ data, source }) => {
              if (source === frames[0]) window.messages.push(data);
            });";
        server.replace("host.js", record.into());
        Ok(Self { server, page: page.server.address(), history: Cell::new(0) })
    }

    /// Returns the origin.
    pub fn origin(&self) -> String {
        self.server.address().trim_end_matches("/host/").to_owned()
    }

    /// Returns the URL of the example page.
    pub fn example(&self) -> String {
        format!("{}index.html?traceglass={}", self.server.address(), fixtures::escaped(&self.page))
    }

    /// Returns the URL of a trace on this host.
    pub fn trace(&self) -> String {
        format!("{}trace.nettrace.gz", self.server.address())
    }

    /// Opens an empty page of this host with the page in a frame, controlled by an origin; this host's if it is empty.
    pub async fn frame_page(&self, page: &Page, origin: &str) -> Step {
        page.browser().goto(format!("{}host.html", self.server.address())).await?;
        let own = self.origin();
        let origin = if origin.is_empty() { own.as_str() } else { origin };
        let address = format!("{}?embed={}", self.page, fixtures::escaped(origin));
        let load = "const frame = document.querySelector('iframe');
            Object.assign(frame.style, { width: '100%', height: '800px' });
            const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
            frame.src = arguments[0];
            await loaded;
            return history.length";
        let history = page.run_async(load, [json!(address)]).await?;
        self.history.set(history.as_u64().unwrap_or_default());
        Ok(())
    }

    /// Returns the length of the browser's history when the frame was loaded.
    pub fn history_before(&self) -> u64 {
        self.history.get()
    }

    /// Switches to the frame.
    pub async fn enter(&self, page: &Page) -> Step {
        Ok(page.browser().enter_frame(0).await?)
    }

    /// Switches back to the page of this host.
    pub async fn leave(&self, page: &Page) -> Step {
        Ok(page.browser().enter_default_frame().await?)
    }

    /// Sends a message to the frame.
    pub async fn post(&self, page: &Page, message: Value) -> Step {
        let post = "frames[0].postMessage({ traceglass: 1, ...arguments[0] }, '*')";
        page.run(post, [message]).await.map(drop)
    }

    /// Sends a message with a trace, which is transferred. Returns the length of the buffer that remains here.
    pub async fn post_trace(&self, page: &Page, message: Value) -> Step<u64> {
        let post = "const bytes = await (await fetch('trace.nettrace.gz')).arrayBuffer();
            frames[0].postMessage({ traceglass: 1, ...arguments[0], bytes }, '*', [bytes]);
            return bytes.byteLength";
        Ok(page.run_async(post, [message]).await?.as_u64().unwrap_or(u64::MAX))
    }

    /// Sends a request, and returns its answer.
    pub async fn ask(&self, page: &Page, request: Value) -> Step<Value> {
        let ask = format!(
            "const id = 'ask' + Math.random();
             const answer = new Promise((resolve, reject) => {{
               setTimeout(() => reject(new Error('no answer')), {PATIENCE_MS});
               addEventListener('message', ({{ data }}) => data.id === id && resolve(data));
             }});
             frames[0].postMessage({{ traceglass: 1, ...arguments[0], id }}, '*');
             return answer"
        );
        page.run_async(&ask, [request]).await
    }

    /// Waits for a message of a type, and returns the first one.
    pub async fn next(&self, page: &Page, kind: &str) -> Step<Value> {
        self.next_where(page, kind, "true").await
    }

    /// Waits for a message of a type for which an expression of `message` holds.
    pub async fn next_where(&self, page: &Page, kind: &str, condition: &str) -> Step<Value> {
        let wait = format!(
            "const find = () => window.messages.find((message) => message.type === arguments[0] && ({condition}));
             for (const until = performance.now() + {PATIENCE_MS}; performance.now() < until;) {{
               if (find()) return find();
               await new Promise((resolve) => setTimeout(resolve, 20));
             }}
             throw new Error('no message: ' + arguments[0] + ' in ' + JSON.stringify(window.messages))"
        );
        page.run_async(&wait, [json!(kind)]).await
    }
}
