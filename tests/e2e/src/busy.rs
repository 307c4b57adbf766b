//! A worker that answers late, or not at all.

use crate::Step;
use crate::page::Page;

/// `beBusy()`: from then on the worker hears nothing, as when it is busy; what the page asks is kept. `goOn()`: it hears that, in
/// order, and everything from then on.
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
    /// Makes that the worker of the page that is opened next can be busy.
    ///
    /// # Errors
    /// When there is no page to begin with.
    pub fn prepare_busy_worker(&self) -> Step {
        self.prepare_busy_worker_with("")
    }

    /// The same, and runs a script besides before the page begins.
    ///
    /// # Errors
    /// When there is no page to begin with.
    pub fn prepare_busy_worker_with(&self, script: &str) -> Step {
        self.before_everything(&format!("{BUSY_WORKER}\n{script}"))
    }

    /// From now on the worker hears nothing.
    ///
    /// # Errors
    /// When the page was not prepared for it.
    pub async fn be_busy(&self) -> Step {
        self.run("beBusy()", []).await.map(drop)
    }

    /// The worker hears what it missed, and everything from now on.
    ///
    /// # Errors
    /// When it was not busy.
    pub async fn go_on(&self) -> Step {
        self.run("goOn()", []).await.map(drop)
    }
}
