//! Functions by a part of their name, likeliest first.

use super::function_counts::FunctionCounts;
use crate::analysis::scan::text_match::Needle;
use crate::model::Store;
use protocol::base::ids::FunctionId;
use protocol::filter::{Extent, Name, Pattern, Query};
use protocol::format;
use protocol::names::{FoundName, NameOf};
use std::cmp::Reverse;

/// Quality of a match, best first: at the start of the method or type, at the start of another part, inside a part.
/// Then the functions of most events, then the shortest names.
type Rank = (u8, Reverse<u64>, usize, FunctionId);

/// Returns the functions whose names contain a text, likeliest first, at most `most`. An empty text finds those of most
/// events.
pub fn functions(store: &Store, counts: &FunctionCounts, text: &str, most: usize) -> Vec<FoundName> {
    let needle = Needle::new(text);
    let mut best: Vec<Rank> = Vec::with_capacity(most.min(store.functions.len()) + 1);
    for (id, function) in (0..).map(FunctionId).zip(store.functions.iter()) {
        let name = store.strings.get(function.name);
        if needle.as_ref().is_some_and(|needle| !needle.is_in(name)) {
            continue;
        }
        let rank = (place_of(name, text), Reverse(counts.of(id)), name.len(), id);
        if best.len() == most && best.last().is_none_or(|last| *last < rank) {
            continue;
        }
        best.insert(best.partition_point(|known| *known < rank), rank);
        best.truncate(most);
    }
    best.into_iter().filter_map(|(_, count, _, id)| found(store, id, count.0)).collect()
}

fn found(store: &Store, id: FunctionId, count: u64) -> Option<FoundName> {
    let function = store.functions.get(id)?;
    let text = |id| store.strings.get(id).to_owned();
    let name = text(function.name);
    let pattern = Pattern::Text(name.clone());
    Some(FoundName {
        condition: Query::Is(protocol::filter::Condition::Named(Name::Stack, pattern, Extent::Whole)).to_string(),
        note: format!("on the stack: {}", format::count(count)),
        module: text(function.module),
        of: NameOf::Function(id),
        name,
        count,
    })
}

/// Returns where a typed text is in a name: 0 at the start of the method or of its type, 1 at the start of another part,
/// 2 inside a part, 3 only among the parameters.
fn place_of(name: &str, typed: &str) -> u8 {
    if typed.is_empty() {
        return 0;
    }
    let head = name.find(['(', '<', '[']).filter(|at| *at > 0).unwrap_or(name.len());
    let path = name.get(..head).unwrap_or(name);
    let begins = |at: usize| path.get(at..at + typed.len()).is_some_and(|part| part.eq_ignore_ascii_case(typed));
    let mut dots = path.rmatch_indices('.').map(|(at, _)| at + 1);
    let (method, of_type) = (dots.next().unwrap_or(0), dots.next().unwrap_or(0));
    let is_part = |at: usize| at == 0 || !path.as_bytes().get(at - 1).is_some_and(u8::is_ascii_alphanumeric);
    let mut places = (0..path.len()).filter(|at| begins(*at));
    match places.next() {
        None => 3,
        Some(_) if begins(method) || begins(of_type) => 0,
        Some(first) if is_part(first) || places.any(is_part) => 1,
        Some(_) => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::names::function_counts::FunctionCountSearch;
    use crate::analysis::scan::payload_batches::Step;
    use crate::analysis::stacks::tree_query::call_nodes;
    use crate::analysis::testing::{What, store_of_program};

    #[test]
    fn matches_at_method_or_type_come_first() {
        let name = "Shop.Web.Payments.Charge(Order, Payment)";
        let places = ["charge", "pay", "web", "harg", "order"].map(|typed| place_of(name, typed));
        assert_eq!(places, [0, 0, 1, 2, 3]);
        assert_eq!(["Main", "x"].map(|typed| place_of("Main()", typed)), [0, 3]);
        assert_eq!(place_of("Größe.Prüfe()", "prü"), 0, "not only ASCII");
    }

    #[test]
    fn functions_are_ranked_by_match_then_by_events() {
        let methods =
            [("Shop.Program", "Main"), ("Shop.Orders", "Parse"), ("Shop.Parser", "Run"), ("Shop.Sparse", "Fill")];
        let sample = |at, stack| (at, 5, What::Sample(true, stack));
        let (store, _) = store_of_program(
            &methods,
            &[sample(0, vec![1, 2]), sample(1, vec![1, 3]), sample(2, vec![1, 3]), sample(3, vec![1, 4])],
        );
        let mut search = FunctionCountSearch::new(&store);
        while search.step(&store) != Step::Done {}
        let counts = search.finish(&call_nodes(&store));
        let find = |text: &str, most: usize| {
            let found = functions(&store, &counts, text, most);
            found.into_iter().map(|one| format!("{} {}", one.name, one.note)).collect::<Vec<_>>()
        };
        let expected = [
            "Shop.Parser.Run() on the stack: 2",
            "Shop.Orders.Parse() on the stack: 1",
            "Shop.Sparse.Fill() on the stack: 1",
        ];
        assert_eq!(find("parse", 9), expected);
        assert_eq!(find("parse", 1), expected[..1]);
        assert_eq!(find("", 1), ["Shop.Program.Main() on the stack: 4"]);
        assert!(find("nothing", 9).is_empty() && find("parse", 0).is_empty());
    }
}
