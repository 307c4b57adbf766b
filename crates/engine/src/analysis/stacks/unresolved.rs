//! Unresolved code on stacks: weight by module, reason, and remedy.

use super::hot_locations::StackWeights;
use crate::model::{Function, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::{FunctionId, StackId};
use protocol::base::sort::sort_by_key;
use protocol::tables::UnresolvedCode;
use std::cmp::Reverse;

const PERF_MAP: &str = "Drop the process's perf-PID.map file here (written to /tmp when DOTNET_PerfMapEnabled=1).";
const OR_PERF_MAP: &str = "Or drop its perf-PID.map file here (written to /tmp when DOTNET_PerfMapEnabled=1).";

/// Reason why an address is unresolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The reason in a sentence.
    pub why: String,
    /// Advice to the user.
    pub advice: String,
}

/// Returns the common name of a module's unresolved frames.
pub fn unresolved_name(module: &str) -> String {
    if module.is_empty() { "(unresolved)".to_owned() } else { format!("({module}, no symbols)") }
}

/// Returns why the code at a function's address is unresolved, with advice.
pub fn reason(store: &Store, function: &Function) -> Reason {
    let module = store.strings.get(function.module);
    let (why, advice) = if !module.is_empty() && !function.is_managed {
        (
            format!("Native code in {module}; the trace has no symbol for this address."),
            "Native symbols are resolved while recording. Install symbols for the module, then record again."
                .to_owned(),
        )
    } else if store.rundown_events > 0 {
        let why = "The trace has no method at this address, so it's native code or a runtime stub.";
        (why.to_owned(), PERF_MAP.to_owned())
    } else if store.blocks.end_of_stream().is_none() {
        let why = "The trace ends before the rundown, which contains method names: the process or recorder was \
                   killed, or the file was truncated.";
        (why.to_owned(), format!("Stop recording before the process exits. {OR_PERF_MAP}"))
    } else {
        let why =
            "The trace has no rundown, which contains method names: it was disabled, or the process exited first.";
        (why.to_owned(), format!("Record with rundown, and stop before the process exits. {OR_PERF_MAP}"))
    };
    Reason { why, advice }
}

/// Returns the modules of unresolved code on stacks, by weight in descending order.
pub fn unresolved_code(store: &Store, weights: &StackWeights) -> UnresolvedCode {
    let modules = by_module(store);
    let mut alone = vec![0u64; modules.len()];
    let mut is_inside = vec![false; store.stacks.len()];
    let (mut total, mut inclusive) = (weights.of(StackId(0)).0, 0u64);
    for stack in (1..store.stacks.len() as u32).map(StackId) {
        let (of_stack, _) = weights.of(stack);
        let function = store.stacks.frame(stack).map(|frame| store.frames.function(frame));
        let row = function.and_then(|function| modules.rows.get(&function)).copied();
        is_inside[stack.index()] = row.is_some() || is_inside[store.stacks.parent(stack).index()];
        total = total.saturating_add(of_stack);
        if is_inside[stack.index()] {
            inclusive = inclusive.saturating_add(of_stack);
        }
        if let Some(alone) = row.and_then(|row| alone.get_mut(row)) {
            *alone = alone.saturating_add(of_stack);
        }
    }
    let exclusive = alone.iter().copied().fold(0u64, u64::saturating_add);
    let mut table = UnresolvedCode {
        total: vec![weights.value(total)],
        inclusive: vec![weights.value(inclusive)],
        exclusive: vec![weights.value(exclusive)],
        ..UnresolvedCode::default()
    };
    let mut rows: Vec<usize> = (0..modules.len()).collect();
    sort_by_key(&mut rows, |&row| (Reverse(alone[row]), row));
    for row in rows {
        let Some((function, addresses)) = modules.found.get(row) else { continue };
        let Some(function) = store.functions.get(*function) else { continue };
        let module = store.strings.get(function.module);
        let Reason { why, advice } = reason(store, function);
        table.module.push(module);
        table.name.push(&unresolved_name(module));
        table.addresses.push(*addresses);
        table.alone.push(weights.value(alone[row]));
        table.reason.push(&why);
        table.advice.push(&advice);
    }
    table
}

#[derive(Default)]
struct ByModule {
    /// By row: one of its functions, and their number.
    found: Vec<(FunctionId, u64)>,
    rows: FastMap<FunctionId, usize>,
}

impl ByModule {
    fn len(&self) -> usize {
        self.found.len()
    }
}

fn by_module(store: &Store) -> ByModule {
    let mut modules = ByModule::default();
    let mut known = FastMap::default();
    let functions = (0..).map(FunctionId).zip(store.functions.iter());
    for (id, function) in functions.filter(|(_, function)| function.is_unresolved) {
        let row = *known.entry((function.module, function.is_managed)).or_insert(modules.found.len());
        if row == modules.found.len() {
            modules.found.push((id, 0));
        }
        modules.found[row].1 += 1;
        modules.rows.insert(id, row);
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::filter::select::select;
    use crate::analysis::samples::index::SampleIndex;
    use crate::analysis::stacks::sample_choice::ChosenSamples;
    use crate::analysis::testing::{What, store_of};
    use protocol::request::{Filter, SampleChoice, Weight};

    /// Methods 1 to 9 have names.
    #[test]
    fn unresolved_code_is_summed_by_module_with_reason() {
        let sample = |stack: &[u64]| What::Sample(true, stack.to_vec());
        let (store, bytes) = store_of(&[
            (0, 5, sample(&[1, 77, 2])),
            (10, 5, sample(&[1, 77])),
            (20, 5, sample(&[1, 88])),
            (30, 5, sample(&[1, 2])),
        ]);
        let selection = select(&store, &bytes, &Filter::default()).unwrap();
        let chosen = ChosenSamples::new(&selection, SampleChoice::All, &Weight::Count);
        let weights = StackWeights::new(&store, &SampleIndex::build(&store).expect("memory"), chosen);
        let table = unresolved_code(&store, &weights);
        assert_eq!((table.total, table.inclusive, table.exclusive), (vec![4.0], vec![3.0], vec![2.0]));
        assert_eq!((table.addresses, table.alone), (vec![2], vec![2.0]));
        assert_eq!((table.module.get(0), table.name.get(0)), ("", "(unresolved)"));
        assert!(table.reason.get(0).contains("no rundown"), "{}", table.reason.get(0));
        assert!(table.advice.get(0).contains("perf-PID.map"));
    }

    #[test]
    fn native_code_names_its_module() {
        let (store, _) = store_of(&[(0, 5, What::Sample(true, vec![1]))]);
        let method = *store.functions.iter().next().expect("a function");
        let native = Function { is_unresolved: true, is_managed: false, ..method };
        let module = store.strings.get(native.module);
        assert!(reason(&store, &native).why.contains(module));
        assert_eq!(unresolved_name("libcoreclr"), "(libcoreclr, no symbols)");
    }
}
