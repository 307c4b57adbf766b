//! Shortest paths from roots to objects.

use super::graph::NONE;
use super::snapshot::{RootKind, Snapshot};
use protocol::base::hash::FastMap;

/// Maximum number of steps followed.
const MAX_STEPS: usize = 100_000;
/// Number of steps stored from each end of a path.
pub const END: usize = 8;

/// A path from a root to an object: types in order, with the number of consecutive objects of each. Steps in the middle
/// of a long path are only counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GcRootPath {
    pub root: Option<(RootKind, u32)>,
    pub head: Vec<(u32, u32)>,
    pub omitted: u32,
    pub tail: Vec<(u32, u32)>,
}

/// Shortest paths from roots to all objects.
pub struct GcRootPaths<'w> {
    pub snapshot: &'w Snapshot,
    /// By object: the object that precedes it on its path.
    pub from: &'w [u32],
    pub first_root: &'w FastMap<u32, (RootKind, u32)>,
}

impl GcRootPaths<'_> {
    pub fn to(&self, object: u32) -> GcRootPath {
        // From the object toward the root: types, with the number of consecutive objects of each.
        let mut runs: Vec<(u32, u32)> = Vec::new();
        let (mut head, mut omitted, mut at) = (Vec::new(), 0u32, object);
        for _ in 0..MAX_STEPS {
            let of = self.snapshot.type_at[at as usize];
            match runs.last_mut() {
                Some(last) if last.0 == of => last.1 += 1,
                _ => runs.push((of, 1)),
            }
            let before = self.from[at as usize];
            if before == at || before == NONE {
                break;
            }
            at = before;
        }
        let is_root = self.from[at as usize] == at;
        if runs.len() > 2 * END {
            head = runs.split_off(runs.len() - END);
            omitted = runs[END..].iter().map(|run| run.1).sum();
            runs.truncate(END);
        }
        head.reverse();
        runs.reverse();
        let root = is_root.then(|| self.first_root.get(&at).copied().unwrap_or((RootKind::Unknown, 0)));
        GcRootPath { root, head, omitted, tail: runs }
    }
}
