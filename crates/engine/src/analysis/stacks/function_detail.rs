//! Details of one function: names, tiers and code.

use super::unresolved::{Reason, reason};
use crate::model::{Function, Store};
use protocol::base::ids::FunctionId;
use protocol::base::sort::sort_by_key;
use protocol::reply::FunctionDetail;

/// Returns all facts about a function; `None` if it doesn't exist.
pub fn function_detail(store: &Store, function: FunctionId) -> Option<FunctionDetail> {
    let found = store.functions.get(function)?;
    let strings = &store.strings;
    let methods = store.methods.of_function(function);
    let module_path = methods.iter().find_map(|method| store.modules.get(method.module?)).map(|module| module.path);
    let mut tiers: Vec<String> = methods.iter().map(|method| method.tier.words().to_owned()).collect();
    tiers.dedup();
    let mut ranges: Vec<(u64, u64)> = methods.iter().map(|method| (method.start, method.size)).collect();
    sort_by_key(&mut ranges, |range| *range);
    ranges.dedup();
    Some(FunctionDetail {
        function,
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

fn why_unresolved(store: &Store, function: &Function) -> String {
    let Reason { why, advice } = reason(store, function);
    format!("{why} {advice}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};

    #[test]
    fn unresolved_code_has_reason() {
        let (store, _) = store_of(&[(0, 5, What::Sample(true, vec![1, 77]))]);
        let details = (0..store.functions.len() as u32).filter_map(|id| function_detail(&store, FunctionId(id)));
        let reasons: Vec<(String, bool)> = details.map(|detail| (detail.name, detail.unresolved.is_empty())).collect();
        assert_eq!(reasons, [("Shop.M1()".to_owned(), true), ("?!0x4d004".to_owned(), false)]);
    }
}
