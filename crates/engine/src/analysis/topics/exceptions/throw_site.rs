//! Origin of an exception: the app's code on its stack, and the .NET method that threw it.
//!
//! An `await` rethrows the exception of its task through `ExceptionDispatchInfo.Throw`: neither that method nor its
//! callers in .NET are the origin.

use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{FunctionId, StackId};

/// Prefix of the runtime code that searches for handlers. It is on top of every stack from .NET 9 on.
const DISPATCH: &str = "System.Runtime.EH.";
/// Prefix of methods that rethrow an exception that was caught elsewhere.
const AGAIN: &str = "System.Runtime.ExceptionServices.ExceptionDispatchInfo.";
/// .NET code between those methods and the code that awaits.
const AWAITS: [&str; 3] =
    ["System.Runtime.CompilerServices.", "System.Threading.Tasks.", "System.Runtime.ExceptionServices."];

/// Origin of an exception.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrowSite {
    /// The app's innermost method. For a rethrow, only if that method itself rethrows.
    pub user: Option<FunctionId>,
    /// The innermost .NET method if it threw on behalf of the app's code; `None` for a rethrow.
    pub framework: Option<FunctionId>,
    /// True if the exception was caught elsewhere before.
    pub is_again: bool,
}

/// Cache of throw sites by stack.
#[derive(Debug, Default)]
pub struct ThrowSites {
    by_stack: FastMap<StackId, ThrowSite>,
}

impl ThrowSites {
    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.by_stack.len() * size_of::<(StackId, ThrowSite)>()
    }

    /// Returns the throw site of a stack; `is_again` if the event is flagged as a rethrow.
    pub fn of(&mut self, store: &Store, stack: StackId, is_again: bool) -> ThrowSite {
        let found = *self.by_stack.entry(stack).or_insert_with(|| throw_site(store, stack));
        if is_again && !found.is_again { again(store, stack) } else { found }
    }
}

fn throw_site(store: &Store, stack: StackId) -> ThrowSite {
    let is_again = managed(store, stack).find(|id| !store.function_name(*id).starts_with(DISPATCH));
    if is_again.is_some_and(|id| store.function_name(id).starts_with(AGAIN)) {
        return again(store, stack);
    }
    let is_of_app = |id: &FunctionId| store.functions.get(*id).is_some_and(|one| !one.is_framework);
    let user = managed(store, stack).find(is_of_app);
    let throws = managed(store, stack).find(|id| is_of_app(id) || !only_throws(store, *id));
    ThrowSite { user, framework: throws.filter(|id| !is_of_app(id)), is_again: false }
}

/// Returns the throw site of a rethrow.
fn again(store: &Store, stack: StackId) -> ThrowSite {
    let is_between = |id: &FunctionId| {
        let name = store.function_name(*id);
        name.starts_with(DISPATCH) || AWAITS.iter().any(|prefix| name.starts_with(prefix))
    };
    let is_of_app = |id: &FunctionId| store.functions.get(*id).is_some_and(|one| !one.is_framework);
    let user = managed(store, stack).find(|id| !is_between(id)).filter(is_of_app);
    ThrowSite { user, framework: None, is_again: true }
}

/// Returns the managed functions of a stack, innermost first.
fn managed(store: &Store, stack: StackId) -> impl Iterator<Item = FunctionId> {
    let functions = store.stacks.leaf_to_root(stack).map(|frame| store.frames.function(frame));
    functions.filter(|id| store.functions.get(*id).is_some_and(|one| one.is_managed))
}

/// Returns whether a .NET method only throws for its callers ("CancellationToken.ThrowOperationCanceledException") or
/// passes on the exception of a failed operation.
fn only_throws(store: &Store, id: FunctionId) -> bool {
    if store.function_name(id).starts_with(DISPATCH) {
        return true;
    }
    let name = store.functions.get(id).map_or("", |one| store.strings.get(one.short_name));
    let method = name.rsplit('.').next().unwrap_or(name);
    method.starts_with("Throw") || method.starts_with("GetResult") || name.starts_with("ThrowHelper.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of_program};
    use protocol::base::ids::EventId;

    /// Returns the app's method, the .NET method and `is_again` for a stack of these methods, root first.
    fn found(stack: &[u64], is_again: bool) -> (String, String, bool) {
        let methods = [
            ("Shop.Program", "Main"),
            ("Shop.Client", "Get"),
            ("System.Net.Http.HttpClient", "SendAsync"),
            ("System.Net.Sockets.Socket+AwaitableSocketAsyncEventArgs", "ThrowException"),
            ("System.Runtime.CompilerServices.TaskAwaiter", "ThrowForNonSuccess"),
            ("System.Runtime.ExceptionServices.ExceptionDispatchInfo", "Throw"),
            ("System.Runtime.EH", "RhThrowEx"),
        ];
        let (store, _) = store_of_program(&methods, &[(10, 5, What::ThrowAt("E", 0x10, stack.to_vec()))]);
        let last = EventId(store.events.len() as u32 - 1);
        let stack = store.events.row(last).stack;
        let site = ThrowSites::default().of(&store, stack, is_again);
        let name = |id: Option<FunctionId>| id.map_or("", |id| store.function_name(id)).to_owned();
        (name(site.user), name(site.framework), site.is_again)
    }

    #[test]
    fn throw_site_is_app_code_that_throws_or_calls() {
        let words = |user: &str, framework: &str, is_again| (user.to_owned(), framework.to_owned(), is_again);
        assert_eq!(found(&[1, 2], false), words("Shop.Client.Get()", "", false));
        let send = "System.Net.Http.HttpClient.SendAsync()";
        assert_eq!(found(&[1, 3, 4], false), words("Shop.Program.Main()", send, false), "helpers throw for others");
        assert_eq!(found(&[3, 4, 7], false), words("", send, false));
    }

    #[test]
    fn await_rethrow_has_no_own_site() {
        let words = |user: &str| (user.to_owned(), String::new(), true);
        assert_eq!(found(&[1, 2, 5, 6], false), words("Shop.Client.Get()"), "it awaits");
        assert_eq!(found(&[2, 3, 5, 6, 7], false), words(""), ".NET awaits, whoever called it");
        assert_eq!(found(&[1, 2], true), words("Shop.Client.Get()"), "its handler throws again");
    }
}
