//! The condition that functions are on an event's stack.

use crate::analysis::scan::rows::retain_rows;
use crate::analysis::stacks::frames::functions_named;
use crate::model::{EventChunk, Store};
use protocol::base::ids::StackId;
use protocol::stacks::shape::FrameName;

/// Stacks that contain all wanted functions.
pub(crate) struct StackFilter {
    /// By [`StackId`].
    has_all: Vec<bool>,
}

impl StackFilter {
    /// Returns `None` if no function is wanted.
    pub fn new(store: &Store, wanted: &[FrameName]) -> Option<Self> {
        let functions = |frame: &FrameName| {
            let mut is_wanted = vec![false; store.functions.len()];
            for function in functions_named(store, frame) {
                is_wanted[function.index()] = true;
            }
            is_wanted
        };
        let mut all = wanted.iter().map(|frame| stacks_with(store, &functions(frame)));
        let mut has_all = all.next()?;
        for more in all {
            has_all.iter_mut().zip(more).for_each(|(has, more)| *has &= more);
        }
        Some(Self { has_all })
    }

    /// Keeps the bits of the rows of a chunk whose stack contains all wanted functions.
    pub fn narrow(&self, chunk: &EventChunk, words: &mut [u64]) {
        retain_rows(words, |row| self.has_all.get(chunk.stack(row).index()) == Some(&true));
    }
}

/// Returns, by [`StackId`], whether one of the functions is on the stack. Callers come before their callees.
pub(crate) fn stacks_with(store: &Store, is_wanted: &[bool]) -> Vec<bool> {
    let stacks = &store.stacks;
    let mut has = vec![false; stacks.len()];
    for stack in (1..stacks.len() as u32).map(StackId) {
        let function = stacks.frame(stack).map(|frame| store.frames.function(frame));
        let is_leaf = function.and_then(|function| is_wanted.get(function.index())) == Some(&true);
        has[stack.index()] = is_leaf || has.get(stacks.parent(stack).index()) == Some(&true);
    }
    has
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::filter::select::select;
    use crate::analysis::testing::{What, store_of};
    use protocol::request::Filter;

    #[test]
    fn events_with_all_functions_on_stack_are_selected() {
        let (store, bytes) = store_of(&[
            (0, 5, What::Sample(true, vec![1, 2])),
            (10, 5, What::Sample(true, vec![1, 3])),
            (20, 5, What::Sample(false, vec![2, 3])),
            (30, 6, What::Order("no stack", 1)),
        ]);
        let module = store.functions.iter().map(|function| store.strings.get(function.module).to_owned());
        let module = module.max().unwrap_or_default();
        let count = |methods: &[u32]| {
            let frame = |method| FrameName { name: format!("Shop.M{method}()"), module: module.clone() };
            let frames = methods.iter().map(frame).collect();
            select(&store, &bytes, &Filter { frames, ..Filter::default() }).unwrap().count()
        };
        let all = select(&store, &bytes, &Filter::default()).unwrap().count();
        assert_eq!((count(&[]), count(&[1]), count(&[3]), count(&[1, 3]), count(&[9])), (all, 2, 2, 1, 0));
    }
}
