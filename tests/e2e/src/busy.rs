//! Simulates a worker that answers late, or never.

use crate::Step;
use crate::page::Page;

/// Script with `beBusy()`, which delays messages to the worker as if it were busy, and `goOn()`, which delivers them in
/// order, and later ones immediately.
const BUSY_WORKER: &str = "
    const send = MessagePort.prototype.postMessage;
    let kept = null;
    MessagePort.prototype.postMessage = function (...message) {
        if (kept) kept.push([this, message]); else send.apply(this, message);
    };
    window.beBusy = () => { kept = []; };
    window.goOn = () => {
        for (const [port, message] of kept) send.apply(port, message);
        kept = null;
    };";

impl Page {
    /// Prepares the next opened page for [`Page::be_busy`].
    ///
    /// # Errors
    /// Fails if the page can't be read.
    pub fn prepare_busy_worker(&self) -> Step {
        self.prepare_busy_worker_with("")
    }

    /// Prepares the next opened page for [`Page::be_busy`], with an additional script before the page starts.
    ///
    /// # Errors
    /// Fails if the page can't be read.
    pub fn prepare_busy_worker_with(&self, script: &str) -> Step {
        self.before_everything(&format!("{BUSY_WORKER}\n{script}"))
    }

    /// Delays messages to the worker from now on.
    ///
    /// # Errors
    /// Fails if the page isn't prepared.
    pub async fn be_busy(&self) -> Step {
        self.run("beBusy()", []).await.map(drop)
    }

    /// Delivers delayed messages, and later ones immediately.
    ///
    /// # Errors
    /// Fails if the worker wasn't busy.
    pub async fn go_on(&self) -> Step {
        self.run("goOn()", []).await.map(drop)
    }
}
