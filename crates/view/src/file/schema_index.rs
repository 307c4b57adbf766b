//! Event types of a trace by provider and event, with a text index.

use protocol::base::sort::sort_by;
use protocol::file::schema_diff::SchemaSet;
use std::collections::HashMap;

/// Event in all versions.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EventKinds {
    pub event_id: u32,
    /// Name, or "Event" and its ID.
    pub name: String,
    /// Rows, by version.
    pub rows: Vec<usize>,
}

/// Provider with its events.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ProviderKinds {
    pub name: String,
    /// Events, by ID.
    pub events: Vec<EventKinds>,
    /// Number of its events in the trace.
    pub count: u64,
}

/// All event types.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SchemaIndex {
    /// Totals and schemas.
    pub set: SchemaSet,
    /// Providers, most events first.
    pub providers: Vec<ProviderKinds>,
    /// By row: searchable text in lowercase.
    texts: Vec<String>,
}

impl SchemaIndex {
    /// Indexes event types.
    pub fn new(set: SchemaSet) -> Self {
        let types = &set.types;
        let mut providers: Vec<ProviderKinds> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for row in 0..set.len() {
            let place = *places.entry(types.provider.get(row)).or_insert_with(|| {
                providers.push(ProviderKinds { name: types.provider.get(row).to_owned(), ..ProviderKinds::default() });
                providers.len() - 1
            });
            let Some(provider) = providers.get_mut(place) else { continue };
            provider.count += types.count.get(row).copied().unwrap_or(0);
            let (event_id, name) = (types.event_id.get(row).copied().unwrap_or(0), name_of(&set, row));
            // Rows are sorted by ID, version and name.
            let known = provider.events.iter_mut().rev().take_while(|event| event.event_id == event_id);
            match known.into_iter().find(|event| event.name == name) {
                Some(event) => event.rows.push(row),
                None => provider.events.push(EventKinds { event_id, name, rows: vec![row] }),
            }
        }
        sort_by(&mut providers, |one, other| other.count.cmp(&one.count).then_with(|| one.name.cmp(&other.name)));
        let texts = (0..set.len()).map(|row| text_of(&set, row)).collect();
        Self { set, providers, texts }
    }

    /// Returns whether a row contains a text, which is in lowercase.
    pub fn matches(&self, row: usize, find: &str) -> bool {
        find.is_empty() || self.texts.get(row).is_some_and(|text| text.contains(find))
    }

    pub fn row_of(&self, event_type: u32) -> Option<usize> {
        self.set.types.event_type.iter().position(|known| *known == event_type)
    }

    /// Returns the rows of all versions of an event.
    pub fn versions_of(&self, row: usize) -> &[usize] {
        let events = self.providers.iter().flat_map(|provider| &provider.events);
        events.map(|event| event.rows.as_slice()).find(|rows| rows.contains(&row)).unwrap_or_default()
    }

    /// Returns the numbers of providers and events.
    pub fn counts(&self) -> (usize, usize) {
        (self.providers.len(), self.set.len())
    }
}

/// Returns the name of a row, or "Event" and its ID.
pub fn name_of(set: &SchemaSet, row: usize) -> String {
    match set.types.name.get(row) {
        "" => format!("Event {}", set.types.event_id.get(row).copied().unwrap_or(0)),
        name => name.to_owned(),
    }
}

/// Returns provider, name, ID, keywords and fields, one per line.
fn text_of(set: &SchemaSet, row: usize) -> String {
    let (types, schemas) = (&set.types, &set.schemas);
    let id = types.event_id.get(row).copied().unwrap_or(0);
    let mut text =
        format!("{}\n{}\nid {id}\n{}", types.provider.get(row), name_of(set, row), schemas.keywords.get(row));
    for field in schemas.fields_of(row) {
        text.push('\n');
        text.push_str(schemas.field_name.get(field));
    }
    text.to_lowercase()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Provider, ID, version, name, events and fields.
    pub type Kind<'k> = (&'k str, u32, u32, &'k str, u64, &'k [&'k str]);

    /// Returns an index of event types.
    pub fn index(kinds: &[Kind<'_>]) -> SchemaIndex {
        let mut set = SchemaSet::default();
        for (at, (provider, id, version, name, count, fields)) in kinds.iter().enumerate() {
            set.types.event_type.push(at as u32 + 1);
            set.types.provider.push(provider);
            set.types.event_id.push(*id);
            set.types.version.push(*version);
            set.types.name.push(name);
            set.types.level.push(4);
            set.types.opcode.push(1);
            set.types.schema_source.push(1);
            set.types.count.push(*count);
            set.types.payload_bytes.push(count * 8);
            set.types.file_bytes.push(count * 10);
            set.schemas.flags.push(0);
            set.schemas.opcode.push("Start");
            for field in *fields {
                let (depth, field) = field.strip_prefix('>').map_or((0, *field), |field| (1, field));
                set.schemas.field_depth.push(depth);
                set.schemas.field_name.push(field);
                set.schemas.field_type.push("int");
                set.schemas.field_wire.push("Int32");
            }
            set.schemas.fields_end.push(set.schemas.field_depth.len() as u32);
        }
        SchemaIndex::new(set)
    }

    #[test]
    fn versions_of_event_are_grouped() {
        let index = index(&[
            ("Quiet", 1, 0, "Ping", 5, &[]),
            ("Busy", 1, 0, "Start", 10, &["id"]),
            ("Busy", 1, 2, "Start", 10, &["id", "customer"]),
            ("Busy", 2, 3, "", 1, &[]),
        ]);
        let names: Vec<_> = index.providers.iter().map(|one| (one.name.as_str(), one.count)).collect();
        assert_eq!(names, [("Busy", 21), ("Quiet", 5)]);
        let events: Vec<_> =
            index.providers[0].events.iter().map(|one| (one.name.as_str(), one.rows.as_slice())).collect();
        assert_eq!(events, [("Start", &[1, 2][..]), ("Event 2", &[3][..])]);
        assert_eq!((index.versions_of(2), index.row_of(3)), (&[1, 2][..], Some(2)));
        assert!(index.matches(2, "customer") && !index.matches(1, "customer") && index.matches(0, "id 1"));
    }
}
