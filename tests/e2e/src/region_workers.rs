//! Further workers that read regions, on any machine and for traces of any size.

use crate::fixtures;
use crate::page::Page;
use crate::{Step, Trouble};

/// Script of the page, before others, with the number of regions that such workers have read.
const COUNTER: &str = "
    window.regionsRead = 0;
    new BroadcastChannel('regions read').onmessage = () => window.regionsRead++;";

impl Page {
    /// Makes the next opened page use this number of further workers for every trace.
    ///
    /// # Errors
    /// Fails if the worker's program isn't built.
    pub fn use_region_workers(&self, count: usize) -> Step {
        let program = fixtures::built("worker.js")?;
        // Only the worker that opens a trace has these functions.
        let script = format!(
            "if (self.traceglass) {{
               const {{ reader }} = traceglass, counter = new BroadcastChannel('regions read');
               const {{ read }} = ReadableStreamBYOBReader.prototype;
               let isSmall = false;
               traceglass.readersFor = (bytes) => {{
                 isSmall = bytes < 48e6;
                 return {count};
               }};
               // Small traces would be read before the part of the program that shares regions is there.
               ReadableStreamBYOBReader.prototype.read = async function (view) {{
                 if (isSmall) await traceglass.rest();
                 return read.call(this, view);
               }};
               traceglass.reader = (...all) => {{
                 const worker = reader(...all);
                 worker.addEventListener('message', ({{ data }}) => Array.isArray(data) && counter.postMessage(0));
                 return worker;
               }};
             }}\n"
        );
        self.server.replace("worker.js", [script.as_bytes(), &program].concat());
        Ok(())
    }

    /// Prepares the next opened page for [`Page::regions_read`].
    ///
    /// # Errors
    /// Fails if the page can't be read.
    pub fn count_regions_read(&self) -> Step {
        self.before_everything(COUNTER)
    }

    /// Returns the number of regions that further workers have read.
    ///
    /// # Errors
    /// Fails if the page isn't prepared.
    pub async fn regions_read(&self) -> Step<u64> {
        let count = self.run("return window.regionsRead", []).await?;
        count.as_u64().ok_or_else(|| Trouble("the page doesn't count regions".to_owned()))
    }
}
