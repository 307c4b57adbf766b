//! One function: its names, tiers and code.

use crate::model::Store;
use crate::model::ids::FunctionId;
use crate::model::sort::sort_by_key;
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
    })
}
