//! Client of Chromium's DevTools protocol for the whole browser: drivers use it for one tab only, which can't create
//! contexts.

use crate::{Step, Trouble};
use serde_json::{Value, json};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::time::Duration;
use tungstenite::{Message, WebSocket};

/// Time limit of a response.
const PATIENCE: Duration = Duration::from_secs(20);

/// Connection to the browser.
pub(crate) struct DevTools {
    socket: WebSocket<TcpStream>,
    calls: u64,
}

impl DevTools {
    /// Connects to the browser that runs with this profile.
    pub fn connect(profile: &Path) -> Step<Self> {
        let failed = |error: String| Trouble(format!("the browser's own protocol: {error}"));
        // Two lines: port and path.
        let place = std::fs::read_to_string(profile.join("DevToolsActivePort"));
        let place = place.map_err(|error| failed(error.to_string()))?;
        let (port, path) = place.trim().split_once('\n').ok_or_else(|| failed(format!("no place in {place:?}")))?;
        let port: u16 = port.parse().map_err(|error| failed(format!("port {port:?}: {error}")))?;
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).map_err(|error| failed(error.to_string()))?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(|error| failed(error.to_string()))?;
        let address = format!("ws://127.0.0.1:{port}{path}");
        let (socket, _) = tungstenite::client(address, stream).map_err(|error| failed(error.to_string()))?;
        Ok(Self { socket, calls: 0 })
    }

    /// Calls a method and returns its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Step<Value> {
        let failed = |error: tungstenite::Error| Trouble(format!("{method}: {error}"));
        self.calls += 1;
        let call = json!({ "id": self.calls, "method": method, "params": parameters });
        self.socket.send(Message::text(call.to_string())).map_err(failed)?;
        loop {
            let message = self.socket.read().map_err(failed)?;
            let Ok(text) = message.to_text() else { continue };
            let Ok(mut answer) = serde_json::from_str::<Value>(text) else { continue };
            // Other messages are events.
            if answer["id"] == self.calls {
                return match answer.get("error") {
                    Some(error) => Err(Trouble(format!("{method}: {error}"))),
                    None => Ok(answer["result"].take()),
                };
            }
        }
    }
}
