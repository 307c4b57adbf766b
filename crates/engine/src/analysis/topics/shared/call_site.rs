//! Where in the program something happened: of a stack the innermost frame that is the program's own.

use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{FunctionId, StackId};
use protocol::filter::word;

/// The sites of stacks that were asked for before.
#[derive(Debug, Default)]
pub struct SiteCache {
    by_stack: FastMap<StackId, Option<FunctionId>>,
}

impl SiteCache {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.by_stack.len() * size_of::<(StackId, Option<FunctionId>)>()
    }

    /// As [`site`].
    pub fn site(&mut self, store: &Store, stack: StackId) -> Option<FunctionId> {
        *self.by_stack.entry(stack).or_insert_with(|| site(store, stack))
    }
}

/// Code of .NET that is on the stack of whatever waits, throws or goes on asynchronously.
const MACHINERY: [&str; 3] = ["System.Runtime.", "System.Threading.", "Interop."];
/// Code of .NET that throws for others: never where something happened.
const THROWS: [&str; 2] = ["System.Runtime.EH.", "System.Runtime.ExceptionServices."];

/// The innermost function of a stack that is not .NET's own; of a stack without one the innermost managed function, if
/// possible one that does more than wait or throw.
pub fn site(store: &Store, stack: StackId) -> Option<FunctionId> {
    let (mut managed, mut innermost) = (None, None);
    for frame in store.stacks().leaf_to_root(stack) {
        let id = store.frames().function(frame);
        let Some(function) = store.functions().get(id).filter(|function| function.is_managed) else { continue };
        if !function.is_framework {
            return Some(id);
        }
        let is_machinery = || MACHINERY.iter().any(|one| store.function_name(id).starts_with(one));
        if managed.is_none() && !is_machinery() {
            managed = Some(id);
        }
        let throws = || THROWS.iter().any(|one| store.function_name(id).starts_with(one));
        if innermost.is_none() && !throws() {
            innermost = Some(id);
        }
    }
    managed.or(innermost)
}

/// What a site is called; empty if there is none.
pub fn site_name(store: &Store, site: Option<FunctionId>) -> &str {
    site.map_or("", |site| store.function_name(site))
}

/// A condition that holds for events that happened in a function, in the language of filters; empty for none.
pub fn site_condition(store: &Store, site: Option<FunctionId>) -> String {
    match site_name(store, site) {
        "" => String::new(),
        name => format!("stack:{}", word(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::store_of_methods;

    #[test]
    fn without_a_frame_of_the_program_the_innermost_managed_one_is_the_site() {
        // No module is known of them, as of code of the runtime.
        let methods = [("Shop.Program", "Main"), ("System.Number", "Parse"), ("System.String", "Concat")];
        let (store, _) = store_of_methods(&methods, &[&[1, 2, 3], &[2]]);
        let sites: Vec<_> = (0..store.events().len())
            .map(|row| store.events().row(protocol::base::ids::EventId(row as u32)).stack)
            .filter(|stack| store.stacks().depth(*stack) > 0)
            .map(|stack| site_name(&store, site(&store, stack)).to_owned())
            .collect();
        assert_eq!(sites, ["System.String.Concat()", "System.Number.Parse()"]);
    }
}
