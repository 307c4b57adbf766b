//! Running time of a kind of .NET code, such as throwing exceptions or writing events, which findings of other topics
//! explain.

use crate::analysis::samples::stack_states::{below_app, method_path};
use crate::analysis::topics::Scope;
use crate::model::{Function, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::StackId;
use protocol::topics::finding::{Finding, FindingKind};

/// Minimum share of running time, so that it is a finding's cost.
const LEAST_SHARE: f64 = 0.05;
/// What the cost is.
pub const RUNNING_TIME: &str = "running time";

/// Prefix of the code that writes events.
const TRACING: &str = "System.Diagnostics.Tracing.";
/// Prefixes of managed code, and parts of names of native code, that throw and catch exceptions.
const THROWING: [&str; 2] = ["System.Runtime.EH.", "System.Runtime.ExceptionServices."];
const THROWING_NATIVE: [&str; 9] = [
    "IL_Throw",
    "IL_Rethrow",
    "RaiseException",
    "DispatchManagedException",
    "UnwindManagedException",
    "ProcessCLRException",
    "KiUserExceptionDispatch",
    "RtlDispatchException",
    "RtlUnwind",
];

/// Code of .NET whose running time another finding explains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunningCode {
    /// Throws exceptions, and searches for their handlers.
    Throwing,
    /// Writes events.
    Tracing,
}

impl RunningCode {
    /// Returns the code that costs the running time of a finding.
    pub fn of(finding: &Finding) -> Option<Self> {
        match finding.kind {
            _ if finding.cost.words != RUNNING_TIME => None,
            FindingKind::ExceptionStorm => Some(Self::Throwing),
            FindingKind::ProviderFlood => Some(Self::Tracing),
            _ => None,
        }
    }

    /// Returns whether the .NET code at the end of a stack is such code. Code of the app that it calls, such as an
    /// exception handler, isn't.
    pub fn ends(self, store: &Store, stack: StackId) -> bool {
        below_app(store, stack).any(|function| self.is(store, function))
    }

    fn is(self, store: &Store, function: &Function) -> bool {
        let managed = |prefixes: &[&str]| {
            let path = method_path(store, function);
            prefixes.iter().any(|prefix| path.starts_with(prefix))
        };
        match self {
            Self::Throwing if !function.is_managed => {
                let name = store.strings.get(function.raw_name);
                THROWING_NATIVE.iter().any(|part| name.contains(part))
            }
            Self::Throwing => managed(&THROWING),
            Self::Tracing => function.is_managed && managed(&[TRACING]),
        }
    }
}

/// A part of the running time.
pub struct RunningPart {
    pub nanos: i64,
    /// All running time.
    pub running: i64,
}

impl RunningPart {
    /// Sums the running time of such code, according to samples; `None` if it is little or unknown.
    pub fn of(store: &Store, scope: &Scope<'_>, code: RunningCode) -> Option<Self> {
        let mut known: FastMap<StackId, bool> = FastMap::default();
        let (mut nanos, mut running) = (0i64, 0i64);
        for (_, stack, _, ran) in scope.time.as_ref()?.running() {
            running = running.saturating_add(ran);
            if *known.entry(stack).or_insert_with(|| code.ends(store, stack)) {
                nanos = nanos.saturating_add(ran);
            }
        }
        (nanos > 0 && nanos as f64 >= LEAST_SHARE * running as f64).then_some(Self { nanos, running })
    }
}
