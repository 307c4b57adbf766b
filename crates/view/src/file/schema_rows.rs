//! Visible rows of the tree of providers, events, versions and fields.

use super::schema_index::{EventKinds, ProviderKinds, SchemaIndex};
use crate::events::level::level_name;
use crate::grid::{Sorted, sort_tree};
use protocol::table::{Column, Unit, column_with_key};
use protocol::tables::schema_flag;
use std::cmp::Ordering;
use std::collections::HashSet;

/// Subject of a row.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Subject {
    Provider(String),
    /// Event with several versions: provider, ID and name.
    Event(String, u32, String),
    /// Event type, by [`protocol::base::ids::TypeId`].
    Type(u32),
    /// Field of an event type, by its row in the columns of fields.
    Field(u32, usize),
    /// Note below an event type.
    Note(u32),
}

impl Subject {
    /// Returns the event type of the row, if it has one.
    pub fn event_type(&self) -> Option<u32> {
        match self {
            Self::Type(id) | Self::Field(id, _) | Self::Note(id) => Some(*id),
            Self::Provider(_) | Self::Event(..) => None,
        }
    }
}

/// Row of the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub subject: Subject,
    /// Level, 1 at the top.
    pub level: u32,
    pub name: String,
    /// Further text: ID, version, or the type of a field.
    pub words: String,
    /// Number of events; `None` for a field.
    pub events: Option<u64>,
    /// Bytes in the file; `None` for a field.
    pub bytes: Option<u64>,
    /// True if the row is expanded; `None` if it has no children.
    pub expanded: Option<bool>,
}

pub const SCHEMA_COLUMNS: [Column<Row>; 3] = [
    Column::text("name", "Provider, event, field", |row, _| row.name.as_str().into()),
    Column::number("events", "Events", Unit::Count, |row, _| row.events.into()),
    Column::number("bytes", "Bytes", Unit::Bytes, |row, _| row.bytes.into()),
];

/// Expanded rows and search text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SchemaTree {
    /// Open providers, events and event types.
    pub open: HashSet<Subject>,
    /// Search text in lowercase; empty for all rows.
    pub find: String,
}

impl SchemaTree {
    /// Returns the visible rows.
    pub fn rows(&self, index: &SchemaIndex) -> Vec<Row> {
        let mut shown = Vec::new();
        index.providers.iter().for_each(|provider| self.push_provider(index, provider, &mut shown));
        shown
    }

    /// Returns the visible rows, each sorted among its siblings. Fields stay as declared.
    pub fn sorted_rows(&self, index: &SchemaIndex, by: &Sorted) -> Vec<Row> {
        // Shares are of the same file.
        let Some(column) = column_with_key(&SCHEMA_COLUMNS, if by.key == "share" { "bytes" } else { &by.key }) else {
            return self.rows(index);
        };
        sort_tree(self.rows(index), |row| row.level, &|one, other| match (&one.events, &other.events) {
            (Some(_), Some(_)) => by.turned(column.compare((one, 0), (other, 0))),
            _ => Ordering::Equal,
        })
    }

    /// Expands the ancestors of an event type.
    pub fn reveal(&mut self, index: &SchemaIndex, event_type: u32) {
        let Some(row) = index.row_of(event_type) else { return };
        let provider = index.set.types.provider.get(row).to_owned();
        let events = index.providers.iter().filter(|one| one.name == provider).flat_map(|one| &one.events);
        let event = events.into_iter().find(|event| event.rows.len() > 1 && event.rows.contains(&row));
        self.open.extend(event.map(|event| Subject::Event(provider.clone(), event.event_id, event.name.clone())));
        self.open.insert(Subject::Provider(provider));
    }

    fn push_provider(&self, index: &SchemaIndex, provider: &ProviderKinds, shown: &mut Vec<Row>) {
        let is_wanted = |row: &usize| index.matches(*row, &self.find);
        let rows: Vec<usize> =
            provider.events.iter().flat_map(|event| &event.rows).copied().filter(is_wanted).collect();
        if rows.is_empty() {
            return;
        }
        let subject = Subject::Provider(provider.name.clone());
        let open = self.open.contains(&subject) || !self.find.is_empty();
        shown.push(Row {
            subject,
            level: 1,
            name: provider.name.clone(),
            words: String::new(),
            events: Some(sum(&index.set.types.count, &rows)),
            bytes: Some(sum(&index.set.types.file_bytes, &rows)),
            expanded: Some(open),
        });
        if open {
            provider.events.iter().for_each(|event| self.push_event(index, &provider.name, event, shown));
        }
    }

    fn push_event(&self, index: &SchemaIndex, provider: &str, event: &EventKinds, shown: &mut Vec<Row>) {
        let rows: Vec<usize> = event.rows.iter().copied().filter(|row| index.matches(*row, &self.find)).collect();
        let id_words = format!("ID {}", event.event_id);
        match rows.as_slice() {
            [] => {}
            [row] if event.rows.len() == 1 => self.push_type(index, *row, 2, (event.name.clone(), id_words), shown),
            rows => {
                let subject = Subject::Event(provider.to_owned(), event.event_id, event.name.clone());
                let open = self.open.contains(&subject) || !self.find.is_empty();
                shown.push(Row {
                    subject,
                    level: 2,
                    name: event.name.clone(),
                    words: format!("{id_words}, {} versions", event.rows.len()),
                    events: Some(sum(&index.set.types.count, rows)),
                    bytes: Some(sum(&index.set.types.file_bytes, rows)),
                    expanded: Some(open),
                });
                if open {
                    for row in rows {
                        let version = index.set.types.version.get(*row).copied().unwrap_or(0);
                        self.push_type(index, *row, 3, (format!("Version {version}"), String::new()), shown);
                    }
                }
            }
        }
    }

    fn push_type(
        &self,
        index: &SchemaIndex,
        row: usize,
        level: u32,
        (name, words): (String, String),
        shown: &mut Vec<Row>,
    ) {
        let (types, schemas) = (&index.set.types, &index.set.schemas);
        let id = types.event_type.get(row).copied().unwrap_or(0);
        let subject = Subject::Type(id);
        let open = self.open.contains(&subject);
        shown.push(Row {
            subject,
            level,
            name,
            words,
            events: types.count.get(row).copied(),
            bytes: types.file_bytes.get(row).copied(),
            expanded: Some(open),
        });
        if !open {
            return;
        }
        let plain = Row {
            subject: Subject::Note(id),
            level: level + 1,
            name: String::new(),
            words: note(index, row),
            events: None,
            bytes: None,
            expanded: None,
        };
        shown.push(plain.clone());
        for field in schemas.fields_of(row) {
            shown.push(Row {
                subject: Subject::Field(id, field),
                level: level + 1 + schemas.field_depth.get(field).copied().unwrap_or(0),
                name: schemas.field_name.get(field).to_owned(),
                words: schemas.field_type.get(field).to_owned(),
                ..plain.clone()
            });
        }
    }
}

fn sum(column: &[u64], rows: &[usize]) -> u64 {
    rows.iter().filter_map(|row| column.get(*row)).sum()
}

/// Returns the note of an event type: "version 0 · Informational · opcode Start · schema: trace file".
fn note(index: &SchemaIndex, row: usize) -> String {
    let (types, schemas) = (&index.set.types, &index.set.schemas);
    let mut words = Vec::new();
    let has = |flag: u8| schemas.flags.get(row).is_some_and(|flags| flags & flag != 0);
    if !has(schema_flag::NO_VERSION) {
        words.push(format!("version {}", types.version.get(row).copied().unwrap_or(0)));
    }
    if !has(schema_flag::NO_LEVEL) {
        words.push(level_name(types.level.get(row).copied().unwrap_or(0)).to_owned());
    }
    if types.opcode.get(row).is_some_and(|opcode| *opcode != 0) {
        words.push(format!("opcode {}", schemas.opcode.get(row)));
    }
    words.push(match (schemas.fields_of(row).is_empty(), types.schema_source.get(row)) {
        (true, Some(0) | None) => "no fields declared".to_owned(),
        (true, _) => "no payload".to_owned(),
        (false, _) => format!("schema: {}", source_words(index, row)),
    });
    words.join(" · ")
}

/// Returns the source of the fields of a row.
pub fn source_words(index: &SchemaIndex, row: usize) -> &'static str {
    let has_second_list = index.set.schemas.flags.get(row).is_some_and(|flags| flags & schema_flag::SECOND_LIST != 0);
    match index.set.types.schema_source.get(row) {
        Some(1) if has_second_list => "trace file (V2 parameters tag)",
        Some(1) => "trace file",
        Some(2) => "built-in manifest",
        _ => "none",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::schema_index::tests::index;

    fn kinds() -> SchemaIndex {
        index(&[
            ("Busy", 1, 0, "Start", 10, &["ids", ">id"]),
            ("Busy", 2, 3, "", 20, &[]),
            ("Busy", 3, 0, "Twice", 1, &[]),
            ("Busy", 3, 1, "Twice", 2, &["more"]),
            ("Quiet", 1, 0, "Ping", 5, &[]),
        ])
    }

    fn names(tree: &SchemaTree) -> Vec<String> {
        let line = |row: Row| format!("{}{} {}", "  ".repeat(row.level as usize - 1), row.name, row.words);
        tree.rows(&kinds()).into_iter().map(line).collect()
    }

    #[test]
    fn providers_have_sums_of_events() {
        let rows = SchemaTree::default().rows(&kinds());
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].name.as_str(), rows[0].events, rows[0].bytes), ("Busy", Some(33), Some(330)));
    }

    #[test]
    fn expanded_rows_show_children() {
        let mut tree = SchemaTree::default();
        let twice = Subject::Event("Busy".to_owned(), 3, "Twice".to_owned());
        tree.open.extend([Subject::Provider("Busy".to_owned()), Subject::Type(1), twice]);
        let expected = [
            "Busy ",
            "  Start ID 1",
            "     version 0 · Info · opcode Start · schema: trace file",
            "    ids int",
            "      id int",
            "  Event 2 ID 2",
            "  Twice ID 3, 2 versions",
            "    Version 0 ",
            "    Version 1 ",
            "Quiet ",
        ];
        assert_eq!(names(&tree), expected);
    }

    #[test]
    fn rows_are_sorted_and_fields_stay_as_declared() {
        let mut tree = SchemaTree::default();
        tree.open.extend([Subject::Provider("Busy".to_owned()), Subject::Type(1)]);
        let sorted = |key: &str, descending| -> Vec<String> {
            let rows = tree.sorted_rows(&kinds(), &Sorted::by(key, descending));
            rows.into_iter().map(|row| row.name).collect()
        };
        assert_eq!(sorted("name", true), ["Quiet", "Busy", "Twice", "Start", "", "ids", "id", "Event 2"]);
        assert_eq!(sorted("events", false), ["Quiet", "Busy", "Twice", "Start", "", "ids", "id", "Event 2"]);
        assert_eq!(sorted("bytes", true), ["Busy", "Event 2", "Start", "", "ids", "id", "Twice", "Quiet"]);
    }

    #[test]
    fn search_expands_matching_rows() {
        let find = |find: &str| SchemaTree { find: find.to_owned(), ..SchemaTree::default() };
        assert_eq!(names(&find("start")), ["Busy ", "  Start ID 1"]);
        assert_eq!(names(&find("more")), ["Busy ", "  Twice ID 3, 2 versions", "    Version 1 "]);
        assert_eq!(find("start").rows(&kinds())[0].events, Some(10), "sums are of what is shown");
    }

    #[test]
    fn reveal_expands_ancestors() {
        let mut tree = SchemaTree::default();
        tree.reveal(&kinds(), 4);
        assert!(names(&tree).contains(&"    Version 1 ".to_owned()));
    }
}
