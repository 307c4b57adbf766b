//! Samples by stack as lines of text that flame-graph tools read ("folded" or "collapsed" stacks).

use crate::model::ids::StackId;
use crate::model::{SampleState, Store};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A distinct stack of samples.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FoldedStack {
    /// "thread 42;outermost;…;innermost". A semicolon inside a name is written as a colon.
    pub frames: String,
    /// How many samples have it.
    pub count: u64,
}

/// All samples of threads by thread and stack, sorted by text. With `managed_only`, those that found the thread in
/// managed code.
pub fn folded_stacks(store: &Store, managed_only: bool) -> Vec<FoldedStack> {
    let wanted: Vec<bool> = store
        .types()
        .iter()
        .map(|event_type| match event_type.sample_state {
            None => false,
            Some(SampleState::Managed) => true,
            Some(_) => !managed_only,
        })
        .collect();
    let mut counts: FxHashMap<(u64, StackId), u64> = FxHashMap::default();
    for chunk in store.events().chunks() {
        for row in 0..chunk.len() {
            if wanted.get(chunk.event_type(row).index()).copied().unwrap_or(false) {
                let os_thread = store.threads().get(chunk.thread(row)).map_or(0, |thread| thread.os_thread);
                *counts.entry((os_thread, chunk.stack(row))).or_default() += 1;
            }
        }
    }
    // Different addresses of a function give the same text.
    let mut by_text: BTreeMap<String, u64> = BTreeMap::new();
    for ((os_thread, stack), count) in counts {
        *by_text.entry(fold(store, os_thread, stack)).or_default() += count;
    }
    by_text.into_iter().map(|(frames, count)| FoldedStack { frames, count }).collect()
}

fn fold(store: &Store, os_thread: u64, stack: StackId) -> String {
    let mut frames: Vec<_> = store.stacks().leaf_to_root(stack).collect();
    frames.reverse();
    let mut text = format!("thread {os_thread}");
    for frame in frames {
        let function = store.functions().get(store.frames().function(frame));
        let name = function.map_or("?", |function| store.strings().get(function.raw_name));
        text.push(';');
        text.extend(name.chars().map(|character| if character == ';' { ':' } else { character }));
    }
    text
}
