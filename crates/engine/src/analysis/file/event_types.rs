//! The event types of a trace, with their totals and declarations.

use super::header_detail::{keywords_value, level_value, named, opcode_value, unless_missing};
use super::schema_table::task;
use crate::analysis::values::payload_text::declared_rows;
use crate::clr::{Provider, event_source_guid};
use crate::model::Store;
use crate::model::{EventType, SchemaSource};
use nettrace::Guid;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::TypeId;
use protocol::base::sort::sort_by;
use protocol::format;
use protocol::reply::{NamedValue, TypeDetail};
use protocol::tables;

/// Returns all event types of the file, by provider, ID, version and name.
pub fn type_table(store: &Store) -> tables::Types {
    let mut file_bytes: FastMap<TypeId, u64> = FastMap::default();
    let directory = &store.blocks;
    for variant in &store.types {
        *file_bytes.entry(variant.base).or_default() += directory.event_bytes_of(variant.id)
            + directory.description_bytes_of(variant.id)
            + directory.padding_bytes_of(variant.id).iter().sum::<u64>();
    }
    for (replaced, by) in replaced_types(store) {
        let bytes = file_bytes.remove(&replaced).unwrap_or(0);
        *file_bytes.entry(by).or_default() += bytes;
    }
    let types = merged_types(store);
    let clock = store.clock;
    let mut table = tables::Types::default();
    for one in &types {
        let record = &one.record;
        table.event_type.push(one.base.0);
        table.provider.push(&one.provider);
        table.event_id.push(record.event_id);
        table.version.push(record.version);
        table.name.push(&one.display_name);
        table.level.push(record.level);
        table.keywords.push(record.keywords);
        table.opcode.push(one.opcode().into());
        table.fields.push(one.schema.fields.len() as u32);
        table.schema_source.push(match one.schema.source {
            SchemaSource::None => 0,
            SchemaSource::File => 1,
            SchemaSource::Manifest => 2,
        });
        table.count.push(one.count);
        table.payload_bytes.push(one.payload_bytes);
        table.file_bytes.push(file_bytes.get(&one.base).copied().unwrap_or(0));
        table.threads.push(one.threads.len() as u32);
        table.with_stack.push(one.with_stack);
        table.first.push(clock.nanos(one.first_ticks).0);
        table.last.push(clock.nanos(one.last_ticks).0);
    }
    table
}

/// Returns the types without events because labels convert all events to other types, each with the first of these,
/// which represents the metadata record in lists.
pub(crate) fn replaced_types(store: &Store) -> FastMap<TypeId, TypeId> {
    let with_events: FastSet<TypeId> = store.types.iter().filter(|one| one.count > 0).map(|one| one.base).collect();
    let mut replaced = FastMap::default();
    for one in &store.types {
        if let Some(declared) = one.relabels.filter(|declared| !with_events.contains(declared)) {
            replaced.entry(declared).or_insert(one.base);
        }
    }
    replaced
}

/// Returns one type per metadata record with the totals of its variants, in the order of [`type_table`]. Excludes types
/// whose events labels convert to other types.
pub(crate) fn merged_types(store: &Store) -> Vec<EventType> {
    let mut types: Vec<EventType> = Vec::new();
    let mut place: FastMap<TypeId, usize> = FastMap::default();
    let replaced = replaced_types(store);
    for variant in store.types.iter().filter(|one| !replaced.contains_key(&one.base)) {
        match place.get(&variant.base) {
            Some(&at) => add_variant(&mut types[at], variant),
            None => {
                place.insert(variant.base, types.len());
                types.push(variant.clone());
            }
        }
    }
    sort_by(&mut types, |a, b| type_order(a).cmp(&type_order(b)));
    types
}

fn type_order(one: &EventType) -> (&str, u32, u32, &str, TypeId) {
    (&one.provider, one.record.event_id, one.record.version, &one.display_name, one.base)
}

fn add_variant(sum: &mut EventType, variant: &EventType) {
    if variant.count == 0 {
        return;
    }
    let is_first = sum.count == 0;
    sum.first_ticks = if is_first { variant.first_ticks } else { sum.first_ticks.min(variant.first_ticks) };
    sum.last_ticks = if is_first { variant.last_ticks } else { sum.last_ticks.max(variant.last_ticks) };
    sum.count += variant.count;
    sum.payload_bytes += variant.payload_bytes;
    sum.with_stack += variant.with_stack;
    sum.threads.extend(&variant.threads);
}

/// Returns one event type with its fields; `None` if it doesn't exist.
pub fn type_detail(store: &Store, event_type: TypeId) -> Option<TypeDetail> {
    let asked = store.types.get(event_type)?;
    let base = store.types.get(asked.base).unwrap_or(asked);
    Some(TypeDetail {
        event_type: base.id,
        provider: base.provider.clone(),
        name: base.display_name.clone(),
        facts: type_facts(base),
        fields: declared_rows(&base.schema.fields),
        schema_source: base.schema.source.words().to_owned(),
    })
}

fn type_facts(event_type: &EventType) -> Vec<NamedValue> {
    let record = &event_type.record;
    let plain = |name: &str, value: String| named(name, value, String::new());
    let mut facts = vec![
        plain("Event ID", record.event_id.to_string()),
        unless_missing(plain("Version", record.version.to_string()), record.unrecorded.version),
        unless_missing(level_value(record.level), record.unrecorded.level),
        unless_missing(keywords_value(&event_type.provider, record.keywords), record.unrecorded.keywords),
        opcode_value(event_type.opcode()),
        plain("Metadata ID", record.metadata_id.to_string()),
        plain("Metadata offset", record.offset.to_string()),
    ];
    let name_in_file = if record.name.is_empty() { "none".to_owned() } else { record.name.clone() };
    facts.push(plain("Name in the file", name_in_file));
    let task = task(event_type);
    if !task.is_empty() {
        facts.push(NamedValue { meaning: "Inferred from the name.".to_owned(), ..plain("Task", task.to_owned()) });
    }
    facts.extend(provider_guid(event_type));
    if record.has_second_list {
        facts.push(plain("Fields from", "the V2Params tag, which replaces the first field list".to_owned()));
    }
    if !event_type.fit.is_exact() {
        facts.push(plain("Payloads", event_type.fit_words()));
    }
    facts.extend(record.message_template.clone().map(|text| plain("Message", text)));
    facts.extend(record.description.clone().map(|text| plain("Description", text)));
    facts.extend(record.attributes.iter().map(|(key, value)| plain(key, value.clone())));
    let skipped = record.skipped.iter();
    facts.extend(skipped.map(|one| plain("Skipped", format!("{} {}", format::counted(one.bytes, "byte"), one.place))));
    facts.extend(record.partial.as_ref().map(|error| plain("Incomplete", error.to_string())));
    facts
}

/// Returns the GUID of the provider: the file's, or else the one that belongs to its name.
pub(crate) fn provider_guid(event_type: &EventType) -> Option<NamedValue> {
    let fact = |guid: Guid, meaning: &str| {
        Some(NamedValue { meaning: meaning.to_owned(), ..named("Provider GUID", guid.to_string(), String::new()) })
    };
    match (event_type.record.provider_guid, Provider::from_name(&event_type.provider)) {
        (Some(declared), _) => fact(declared, "Declared in the file."),
        (None, Some(known)) => fact(known.guid()?, "Well-known GUID of this provider."),
        (None, None) => {
            fact(event_source_guid(&event_type.provider)?, "Derived from the name, assuming an EventSource.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{ORDERS, What, store_of};

    #[test]
    fn sample_variants_are_one_type() {
        let (store, _) = store_of(&[
            (0, 5, What::Sample(true, vec![1])),
            (5, 5, What::Sample(false, vec![1])),
            (6, 5, What::Order("x", 1)),
        ]);
        let table = type_table(&store);
        let sampler: Vec<usize> =
            (0..table.count.len()).filter(|&at| table.provider.get(at).contains("Sample")).collect();
        assert_eq!(sampler.len(), 1);
        assert_eq!((table.count[sampler[0]], table.first[sampler[0]], table.last[sampler[0]]), (2, 0, 5));
        let orders = (0..table.count.len()).find(|&at| table.provider.get(at) == ORDERS).unwrap();
        let detail = type_detail(&store, TypeId(table.event_type[orders])).unwrap();
        assert_eq!(detail.fields.iter().map(|field| field.type_name.as_str()).collect::<Vec<_>>(), ["string", "int"]);
    }
}
