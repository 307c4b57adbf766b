//! Differences between two event types, or between the event types of two traces.

use super::schema_tables::{Schemas, schema_flag};
use crate::named;
use crate::tables::Types;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Event types of a trace: totals and schemas, with matching rows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SchemaSet {
    /// Totals.
    pub types: Types,
    pub schemas: Schemas,
}

named! {
    /// Difference.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Change {
        /// No difference.
        Same: "same", "";
        /// Present on both sides, with differences.
        Changed: "changed", "≠";
        /// Present on the first side only.
        Removed: "removed", "−";
        /// Present on the second side only.
        Added: "added", "+";
    }
    /// Returns the display name.
    fn word;
    /// Returns the sign, so that color isn't the only indication.
    fn sign;
}

/// Event type on both sides, by row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KindPair {
    /// Difference, apart from counts.
    pub change: Change,
    /// Row on the first side.
    pub before: Option<usize>,
    /// Row on the second side.
    pub after: Option<usize>,
}

/// Fact on both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FactPair {
    pub name: &'static str,
    /// Value on the first side.
    pub before: String,
    /// Value on the second side.
    pub after: String,
}

impl FactPair {
    /// Returns whether the sides differ.
    pub fn differs(&self) -> bool {
        self.before != self.after
    }
}

/// Field on both sides, by index in the field columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldPair {
    /// Difference.
    pub change: Change,
    /// Row on the first side.
    pub before: Option<usize>,
    /// Row on the second side.
    pub after: Option<usize>,
}

/// Maximum number of event types with the same key that are searched for an identical schema.
const MAX_ALIKE: usize = 64;

/// Key of an event type, valid in any trace.
type Key<'s> = (&'s str, u32, &'s str, u32);

impl SchemaSet {
    /// Returns the number of event types.
    pub fn len(&self) -> usize {
        self.types.event_type.len()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn key(&self, row: usize) -> Key<'_> {
        let number = |column: &[u32]| column.get(row).copied().unwrap_or(0);
        let types = &self.types;
        let event_id = if self.is_numbered(row) { number(&types.event_id) } else { 0 };
        (types.provider.get(row), event_id, types.name.get(row), number(&types.version))
    }

    /// Returns whether the event ID is fixed. Self-describing events, which have one unnamed object, get their ID at
    /// run time.
    fn is_numbered(&self, row: usize) -> bool {
        let first = self.schemas.fields_of(row).next();
        !first.is_some_and(|field| {
            self.schemas.field_name.get(field).is_empty() && self.schemas.field_wire.get(field) == "Object"
        })
    }

    /// Returns the facts of an event type, without its fields.
    fn facts(&self, row: usize) -> [(&'static str, String); 8] {
        let (types, schemas) = (&self.types, &self.schemas);
        let has = |flag: u8| schemas.flags.get(row).is_some_and(|flags| flags & flag != 0);
        let unless = |flag: u8, text: String| if has(flag) { "not recorded".to_owned() } else { text };
        let number = |column: &[u32]| column.get(row).map_or(String::new(), u32::to_string);
        let level = types.level.get(row).map_or(String::new(), u8::to_string);
        [
            ("Name", types.name.get(row).to_owned()),
            ("Event ID", if self.is_numbered(row) { number(&types.event_id) } else { String::new() }),
            ("Version", unless(schema_flag::NO_VERSION, number(&types.version))),
            ("Level", unless(schema_flag::NO_LEVEL, level)),
            ("Keywords", unless(schema_flag::NO_KEYWORDS, schemas.keywords.get(row).to_owned())),
            ("Opcode", schemas.opcode.get(row).to_owned()),
            ("Message", schemas.template.get(row).to_owned()),
            ("Description", schemas.description.get(row).to_owned()),
        ]
    }

    /// Returns the facts of two event types.
    pub fn fact_pairs(&self, row: usize, other: &Self, other_row: usize) -> Vec<FactPair> {
        let pairs = self.facts(row).into_iter().zip(other.facts(other_row));
        let pairs = pairs.map(|((name, before), (_, after))| FactPair { name, before, after });
        pairs.filter(|pair| !(pair.before.is_empty() && pair.after.is_empty())).collect()
    }

    /// Returns the fields of two event types, side by side. Fields of the same name are paired if their order is the
    /// same on both sides.
    pub fn field_pairs(&self, row: usize, other: &Self, other_row: usize) -> Vec<FieldPair> {
        let (mut before, mut after) = (self.schemas.fields_of(row), other.schemas.fields_of(other_row));
        let [left_before, left_after] =
            [(&self.schemas, before.clone()), (&other.schemas, after.clone())].map(|(of, rows)| last_places(of, rows));
        let mut pairs = Vec::new();
        loop {
            let (one, two) = (before.clone().next(), after.clone().next());
            let is_later = |places: &HashMap<_, usize>, of: &Schemas, field: usize, from: usize| {
                places.get(&name_of(of, field)).is_some_and(|place| *place >= from)
            };
            let pair = match (one, two) {
                (None, None) => return pairs,
                (Some(one), Some(two)) if name_of(&self.schemas, one) == name_of(&other.schemas, two) => {
                    let is_same = type_of(&self.schemas, one) == type_of(&other.schemas, two);
                    let change = if is_same { Change::Same } else { Change::Changed };
                    FieldPair { change, before: Some(one), after: Some(two) }
                }
                // A field that comes later on the first side is paired when it is reached.
                (Some(one), Some(two))
                    if is_later(&left_after, &self.schemas, one, two)
                        && !is_later(&left_before, &other.schemas, two, one) =>
                {
                    FieldPair { change: Change::Added, before: None, after: Some(two) }
                }
                (Some(one), _) => FieldPair { change: Change::Removed, before: Some(one), after: None },
                (None, Some(two)) => FieldPair { change: Change::Added, before: None, after: Some(two) },
            };
            before.start += usize::from(pair.before.is_some());
            after.start += usize::from(pair.after.is_some());
            pairs.push(pair);
        }
    }

    /// Returns whether two event types have the same schema.
    pub fn is_alike(&self, row: usize, other: &Self, other_row: usize) -> bool {
        let is_same = |pair: &FieldPair| pair.change == Change::Same;
        !self.fact_pairs(row, other, other_row).iter().any(FactPair::differs)
            && self.field_pairs(row, other, other_row).iter().all(is_same)
    }

    /// Returns the event types of both sides, paired by provider, ID, name and version. Of types with the same key,
    /// those with identical schemas are paired first, then the others in order, then types with the same name and a
    /// different ID.
    pub fn kind_pairs(&self, other: &Self) -> Vec<KindPair> {
        let mut pairs = Vec::new();
        let without_id = |(provider, _, name, version): Key<'_>| (provider.to_owned(), 0, name.to_owned(), version);
        let with_id = |(provider, id, name, version): Key<'_>| (provider.to_owned(), id, name.to_owned(), version);
        let all = [(0..self.len()).collect(), (0..other.len()).collect()];
        let alone = self.pair_up(other, all, with_id, &mut pairs);
        let [removed, added] = self.pair_up(other, alone, without_id, &mut pairs);
        let one_sided = |change, before, after| KindPair { change, before, after };
        pairs.extend(removed.into_iter().map(|row| one_sided(Change::Removed, Some(row), None)));
        pairs.extend(added.into_iter().map(|row| one_sided(Change::Added, None, Some(row))));
        let key = |pair: &KindPair| pair.after.map_or_else(|| self.key(pair.before.unwrap_or(0)), |row| other.key(row));
        pairs.sort_by(|one, two| key(one).cmp(&key(two)));
        pairs
    }

    /// Pairs rows of both sides that have the same key. Returns the unpaired rows of each side.
    fn pair_up(
        &self,
        other: &Self,
        rows: [Vec<usize>; 2],
        key: impl Fn(Key<'_>) -> (String, u32, String, u32),
        pairs: &mut Vec<KindPair>,
    ) -> [Vec<usize>; 2] {
        let [before, after] = rows;
        let mut places: BTreeMap<_, [Vec<usize>; 2]> = BTreeMap::new();
        before.into_iter().for_each(|row| places.entry(key(self.key(row))).or_default()[0].push(row));
        after.into_iter().for_each(|row| places.entry(key(other.key(row))).or_default()[1].push(row));
        let mut left = [Vec::new(), Vec::new()];
        for [before, mut after] in places.into_values() {
            let mut alone = Vec::new();
            for one in before {
                match after.iter().take(MAX_ALIKE).position(|two| self.is_alike(one, other, *two)) {
                    Some(at) => {
                        pairs.push(KindPair { change: Change::Same, before: Some(one), after: Some(after.remove(at)) });
                    }
                    None => alone.push(one),
                }
            }
            let both = alone.len().min(after.len());
            left[0].extend(alone.split_off(both));
            left[1].extend(after.split_off(both));
            let changed = |(one, two)| KindPair { change: Change::Changed, before: Some(one), after: Some(two) };
            pairs.extend(alone.into_iter().zip(after).map(changed));
        }
        left
    }

    /// Returns the declaration of a field: "customer: string".
    pub fn field_text(&self, field: usize) -> String {
        let name = Some(self.schemas.field_name.get(field)).filter(|name| !name.is_empty()).unwrap_or("(unnamed)");
        format!("{name}: {}", self.schemas.field_type.get(field))
    }
}

fn name_of(of: &Schemas, field: usize) -> (u32, &str) {
    (of.field_depth.get(field).copied().unwrap_or(0), of.field_name.get(field))
}

fn type_of(of: &Schemas, field: usize) -> (&str, &str) {
    (of.field_type.get(field), of.field_wire.get(field))
}

/// Returns the last index of each name.
fn last_places(of: &Schemas, rows: Range<usize>) -> HashMap<(u32, &str), usize> {
    rows.map(|field| (name_of(of, field), field)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ID, version and fields with their types.
    type Kind<'k> = (u32, u32, &'k [(&'k str, &'k str)]);

    /// Creates a set of event types of one provider.
    fn set(kinds: &[Kind<'_>]) -> SchemaSet {
        let mut set = SchemaSet::default();
        for (at, (id, version, fields)) in kinds.iter().enumerate() {
            set.types.event_type.push(at as u32);
            set.types.provider.push("Shop");
            set.types.event_id.push(*id);
            set.types.version.push(*version);
            set.types.name.push(&format!("Event{id}"));
            set.types.level.push(4);
            set.schemas.flags.push(0);
            for (name, type_name) in *fields {
                set.schemas.field_depth.push(0);
                set.schemas.field_name.push(name);
                set.schemas.field_type.push(type_name);
                set.schemas.field_wire.push(type_name);
            }
            set.schemas.fields_end.push(set.schemas.field_depth.len() as u32);
        }
        set
    }

    fn pairs(before: &SchemaSet, after: &SchemaSet) -> Vec<String> {
        let line = |pair: FieldPair| {
            let text = |set: &SchemaSet, field: Option<usize>| field.map_or("-".to_owned(), |at| set.field_text(at));
            format!("{} {} | {}", pair.change.word(), text(before, pair.before), text(after, pair.after))
        };
        before.field_pairs(0, after, 0).into_iter().map(line).collect()
    }

    #[test]
    fn fields_of_same_name_are_paired() {
        let before = set(&[(1, 0, &[("id", "int"), ("old", "int"), ("name", "string")])]);
        let after = set(&[(1, 1, &[("id", "long"), ("new", "int"), ("name", "string"), ("more", "int")])]);
        let expected = [
            "changed id: int | id: long",
            "removed old: int | -",
            "added - | new: int",
            "same name: string | name: string",
            "added - | more: int",
        ];
        assert_eq!(pairs(&before, &after), expected);
        let facts = before.fact_pairs(0, &after, 0);
        let differing: Vec<_> = facts.iter().filter(|pair| pair.differs()).map(|pair| pair.name).collect();
        assert_eq!(differing, ["Version"]);
    }

    #[test]
    fn reordered_fields_are_unpaired() {
        let before = set(&[(1, 0, &[("a", "int"), ("b", "int"), ("c", "int")])]);
        let after = set(&[(1, 0, &[("c", "int"), ("b", "int"), ("a", "int")])]);
        for (one, two) in [(&before, &after), (&after, &before), (&before, &before)] {
            let pairs = one.field_pairs(0, two, 0);
            let seen = |side: fn(&FieldPair) -> Option<usize>| pairs.iter().filter_map(side).collect::<Vec<_>>();
            assert_eq!((seen(|pair| pair.before), seen(|pair| pair.after)), (vec![0, 1, 2], vec![0, 1, 2]));
        }
    }

    #[test]
    fn event_types_are_paired_by_key() {
        let before = set(&[(1, 0, &[("id", "int")]), (2, 0, &[]), (3, 0, &[])]);
        let after = set(&[(1, 0, &[("id", "long")]), (3, 0, &[]), (3, 1, &[])]);
        let changes: Vec<_> =
            before.kind_pairs(&after).into_iter().map(|pair| (pair.change, pair.before, pair.after)).collect();
        let expected = [
            (Change::Changed, Some(0), Some(0)),
            (Change::Removed, Some(1), None),
            (Change::Same, Some(2), Some(1)),
            (Change::Added, None, Some(2)),
        ];
        assert_eq!(changes, expected);
    }

    #[test]
    fn event_with_other_id_is_changed() {
        let (before, mut after) =
            (set(&[(153, 0, &[("Message", "string")])]), set(&[(156, 0, &[("Message", "string")])]));
        after.types.name = before.types.name.clone();
        let pairs = before.kind_pairs(&after);
        assert_eq!(pairs, [KindPair { change: Change::Changed, before: Some(0), after: Some(0) }]);
        let facts = before.fact_pairs(0, &after, 0);
        let differing: Vec<_> = facts.iter().filter(|pair| pair.differs()).map(|pair| pair.name).collect();
        assert_eq!(differing, ["Event ID"]);
    }

    #[test]
    fn self_describing_events_are_paired_by_fields() {
        let mut before =
            set(&[(163, 0, &[("", "Object"), ("Mean", "double")]), (164, 0, &[("", "Object"), ("Sum", "double")])]);
        let mut after =
            set(&[(166, 0, &[("", "Object"), ("Sum", "double")]), (167, 0, &[("", "Object"), ("Mean", "double")])]);
        for one in [&mut before, &mut after] {
            one.types.name = ["EventCounters"; 2].into_iter().collect();
        }
        let changes: Vec<_> =
            before.kind_pairs(&after).into_iter().map(|pair| (pair.change, pair.before, pair.after)).collect();
        assert_eq!(changes, [(Change::Same, Some(0), Some(1)), (Change::Same, Some(1), Some(0))]);
    }
}
