//! One function: its names, tiers and code.

use crate::model::ids::FunctionId;
use crate::model::sort::sort_by_key;
use crate::model::{Function, Store};
use crate::protocol::reply::FunctionDetail;

/// Everything about a function; none if there is no such function.
pub fn function_detail(store: &Store, function: FunctionId) -> Option<FunctionDetail> {
    let found = store.functions().get(function)?;
    let strings = store.strings();
    let methods = store.methods().of_function(function);
    let module_path = methods.iter().find_map(|method| store.modules().get(method.module?)).map(|module| module.path);
    let mut tiers: Vec<String> = methods.iter().map(|method| method.tier.words().to_owned()).collect();
    tiers.dedup();
    let mut ranges: Vec<(u64, u64)> = methods.iter().map(|method| (method.start, method.size)).collect();
    sort_by_key(&mut ranges, |range| *range);
    ranges.dedup();
    Some(FunctionDetail {
        name: strings.get(found.name).to_owned(),
        raw_name: strings.get(found.raw_name).to_owned(),
        module: strings.get(found.module).to_owned(),
        module_path: module_path.map_or_else(String::new, |path| strings.get(path).to_owned()),
        tiers,
        ranges,
        source: String::new(),
        unresolved: if found.is_unresolved { why_unresolved(store, found) } else { String::new() },
    })
}

/// Why the code at an address has no name, and what to do.
fn why_unresolved(store: &Store, function: &Function) -> String {
    let module = store.strings().get(function.module);
    let advice = "Drop the process's perf-PID.map here (DOTNET_PerfMapEnabled=1 writes it), if there is one.";
    if !module.is_empty() && !function.is_managed {
        return format!("The trace has no symbol of {module} at this address: native code, without its symbols.");
    }
    if store.rundown_events() == 0 {
        return format!(
            "The trace has no rundown, which names methods at its end: the process ended first, or it was not asked for. \
             Stop the recording while the process lives. {advice}"
        );
    }
    format!("No method that the trace tells of was at this address: native code, or a stub of the runtime. {advice}")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{What, store_of};
    use super::*;

    #[test]
    fn code_without_a_name_has_a_reason() {
        let (store, _) = store_of(&[(0, 5, What::Sample(true, vec![1]))]);
        let details: Vec<FunctionDetail> =
            (0..store.functions().len() as u32).filter_map(|id| function_detail(&store, FunctionId(id))).collect();
        assert!(details.iter().any(|detail| detail.unresolved.is_empty() && detail.name == "Shop.M1()"));
        let nameless = Function {
            is_unresolved: true,
            is_managed: false,
            module: Default::default(),
            ..store.functions().iter().next().copied().unwrap()
        };
        let is_rundown = store.rundown_events() > 0;
        assert_eq!(why_unresolved(&store, &nameless).contains("no rundown"), !is_rundown);
    }
}
