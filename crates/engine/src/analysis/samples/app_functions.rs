//! Functions of the app on a stack.

use crate::model::Store;
use protocol::base::ids::{FunctionId, StackId};

/// Sets `functions` to the app's functions on a stack, innermost first, without duplicates.
pub fn app_functions(store: &Store, stack: StackId, functions: &mut Vec<FunctionId>) {
    functions.clear();
    for frame in store.stacks.leaf_to_root(stack) {
        let id = store.frames.function(frame);
        let is_own =
            store.functions.get(id).is_some_and(|one| one.is_managed && !one.is_framework && !one.is_unresolved);
        if is_own && !functions.contains(&id) {
            functions.push(id);
        }
    }
}
