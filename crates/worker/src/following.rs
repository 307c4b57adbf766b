//! Follows a trace while it is being recorded. Only what was appended to the file is read and parsed.

use super::byte_stream::Kept;
use super::clock::now_ms;
use super::growing::{Growing, pause};
use super::loading::{Opened, Opening};
use engine::session::FileFacts;
use protocol::{Failure, Following};

/// Time between looks at the file, after all of it was read.
const LOOK_MS: i32 = 250;

impl Opening {
    /// Reads and shows a trace while it grows, until its end or until the page stops that.
    ///
    /// The bytes are stored: browsers don't read a file at all that has changed since they looked at it.
    pub(super) async fn follow(&self, growing: Growing, file: FileFacts) -> Result<Opened, Failure> {
        self.following.set(Some(Following::Shown));
        let (mut loader, mut kept) = (self.loader(), Kept::default());
        let mut shown = 0;
        while self.following.get() != Some(Following::Stopped) {
            match growing.next(kept.bytes() as f64).await? {
                Some(bytes) => {
                    kept.add_trace(&bytes).await?;
                    self.total.set(kept.bytes() as f64);
                    self.feed(&mut loader, &bytes, None).await?;
                }
                None if loader.is_at_end_marker() => break,
                None => {
                    self.breathe(&loader).await?;
                    pause(LOOK_MS).await;
                }
            }
            let is_due = || self.previews.get().is_due_while_recording(now_ms() - self.started_ms.get());
            if self.following.get() == Some(Following::Shown) && kept.bytes() > shown && is_due() {
                self.preview(&loader, &file, &kept.so_far()?)?;
                shown = kept.bytes();
            }
        }
        // The time to open the trace doesn't contain that of the recording.
        self.started_ms.set(now_ms());
        self.opened(loader, file, kept.into_bytes()?)
    }
}
