//! Items of analyses by a part of their name: routes, exception types, allocated types.

use crate::analysis::scan::text_match::Needle;
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use protocol::format;
use protocol::names::{FoundName, NameOf};
use protocol::topics::topic::Topic;
use std::cmp::Reverse;
use std::hash::Hash;

/// Maximum number of names of an analysis; those of most events are the first.
const MAX_ITEMS: usize = 2_000;

/// Counts the events of each key, and returns the keys of most events first, with their counts.
pub fn most_frequent<K: Ord + Hash + Copy>(keys: impl Iterator<Item = K>) -> Vec<(K, u64)> {
    let mut counts: FastMap<K, u64> = FastMap::default();
    keys.for_each(|key| *counts.entry(key).or_default() += 1);
    let mut counts: Vec<(K, u64)> = counts.into_iter().collect();
    sort_by_key(&mut counts, |(key, count)| (Reverse(*count), *key));
    counts.truncate(MAX_ITEMS);
    counts
}

/// Returns an item of an analysis, whose events have a noun.
pub fn item(topic: Topic, name: String, (count, noun): (u64, &str), condition: String) -> FoundName {
    let note = format::counted(count, noun);
    FoundName { name, module: String::new(), count, note, condition, of: NameOf::Item(topic) }
}

/// Returns the items whose names contain a text: first those that begin with it, then those of most events.
pub fn matching<'n>(items: &'n [FoundName], text: &str, most: usize) -> Vec<&'n FoundName> {
    let needle = Needle::new(text);
    let is_named = |item: &&FoundName| needle.as_ref().is_none_or(|needle| needle.is_in(&item.name));
    let mut found: Vec<&FoundName> = items.iter().filter(is_named).collect();
    let begins = |name: &str| name.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text));
    sort_by_key(&mut found, |item| (!begins(&item.name), Reverse(item.count)));
    found.truncate(most);
    found
}
