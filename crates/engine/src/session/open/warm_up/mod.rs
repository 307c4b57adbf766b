//! Opens a small generated trace before the user opens a file.
//!
//! WebAssembly engines optimize a function only after many calls. Reading some ten thousand events while the user
//! chooses a file halves the load time of the first trace.

mod trace;

pub(crate) use trace::trace;

use crate::session::{FileFacts, Loader, Session};

/// Number of repetitions. After two, the engine has optimized nearly everything.
const ROUNDS: u32 = 2;

/// Number of bytes per step, about a millisecond of work.
const STEP_BYTES: usize = 32 << 10;

/// Step-by-step opening of a small trace, whose result is dropped.
pub struct WarmUpRun {
    trace: Vec<u8>,
    read_bytes: usize,
    loader: Loader,
    rounds_left: u32,
}

impl Default for WarmUpRun {
    fn default() -> Self {
        Self::of(ROUNDS)
    }
}

impl WarmUpRun {
    fn of(rounds: u32) -> Self {
        Self { trace: trace(), read_bytes: 0, loader: Loader::new(), rounds_left: rounds }
    }

    /// Does one step. Returns whether there are more.
    pub fn step(&mut self) -> bool {
        let rest = self.trace.get(self.read_bytes..).unwrap_or_default();
        let piece = rest.get(..STEP_BYTES).unwrap_or(rest);
        if piece.is_empty() {
            let loader = std::mem::take(&mut self.loader);
            let trace = Box::new(std::mem::take(&mut self.trace));
            let session = loader.finish().and_then(|store| Session::new(store, trace, FileFacts::default()));
            *self = Self::of(self.rounds_left - 1);
            return session.map(|session| session.summary()).is_ok() && self.rounds_left > 0;
        }
        self.loader.append(piece.len(), |space| space.copy_from_slice(piece));
        self.read_bytes += piece.len();
        self.loader.advance(STEP_BYTES).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warm_up_ends() {
        let mut rehearsal = WarmUpRun::default();
        let mut steps = 0;
        while rehearsal.step() {
            steps += 1;
        }
        assert_eq!(rehearsal.rounds_left, 0, "it could not be opened");
        assert!(steps > 20, "{steps} steps are not little by little");
    }
}
