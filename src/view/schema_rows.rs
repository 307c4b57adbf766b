//! The rows of the tree of providers, events and fields that are shown.

use crate::model::sort::sort_by;
use crate::protocol::reply::TypeDetail;
use crate::protocol::tables::Types;
use std::collections::{HashMap, HashSet};

/// What a row names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Subject {
    /// A provider.
    Provider(String),
    /// An event type, by [`crate::model::ids::TypeId`].
    Type(u32),
    /// A field of an event type, by position among its fields.
    Field(u32, usize),
    /// A sentence below an event type.
    Note(u32),
}

/// A row.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// What it names.
    pub subject: Subject,
    /// 1 at the top.
    pub level: u32,
    /// Its name.
    pub name: String,
    /// Further words: id and version, or a field's type.
    pub words: String,
    /// Events; none for a field.
    pub events: Option<u64>,
    /// Payload bytes; none for a field.
    pub payload_bytes: Option<u64>,
    /// None if there is nothing to expand.
    pub expanded: Option<bool>,
}

/// What is open, what is looked for, and what is known of fields.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SchemaTree {
    /// Open providers and event types.
    pub open: HashSet<Subject>,
    /// Only events whose name or provider contains this, in lower case.
    pub find: String,
    /// Fields of the event types that were opened.
    pub details: HashMap<u32, TypeDetail>,
}

impl SchemaTree {
    /// The rows, providers with most events first, events of a provider as the table has them.
    pub fn rows(&self, types: &Types) -> Vec<Row> {
        let mut providers: Vec<(&str, Vec<usize>, u64)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for row in (0..types.event_type.len()).filter(|row| self.matches(types, *row)) {
            let name = types.provider.get(row);
            let place = *places.entry(name).or_insert_with(|| {
                providers.push((name, Vec::new(), 0));
                providers.len() - 1
            });
            if let Some((_, rows, events)) = providers.get_mut(place) {
                rows.push(row);
                *events += types.count.get(row).copied().unwrap_or(0);
            }
        }
        sort_by(&mut providers, |one, other| other.2.cmp(&one.2).then(one.0.cmp(other.0)));
        let mut shown = Vec::new();
        for (name, rows, events) in providers {
            let subject = Subject::Provider(name.to_owned());
            let open = self.open.contains(&subject) || !self.find.is_empty();
            let bytes = rows.iter().filter_map(|row| types.payload_bytes.get(*row)).sum();
            shown.push(Row {
                subject,
                level: 1,
                name: name.to_owned(),
                words: String::new(),
                events: Some(events),
                payload_bytes: Some(bytes),
                expanded: Some(open),
            });
            if open {
                rows.into_iter().for_each(|row| self.push_type(types, row, &mut shown));
            }
        }
        shown
    }

    fn matches(&self, types: &Types, row: usize) -> bool {
        let contains = |text: &str| text.to_lowercase().contains(&self.find);
        self.find.is_empty() || contains(types.name.get(row)) || contains(types.provider.get(row))
    }

    fn push_type(&self, types: &Types, row: usize, shown: &mut Vec<Row>) {
        let id = types.event_type.get(row).copied().unwrap_or(0);
        let number = |column: &Vec<u32>| column.get(row).copied().unwrap_or(0);
        let subject = Subject::Type(id);
        let open = self.open.contains(&subject);
        let (event_id, version) = (number(&types.event_id), number(&types.version));
        let name = match types.name.get(row) {
            "" => format!("Event {event_id}"),
            name => name.to_owned(),
        };
        shown.push(Row {
            subject,
            level: 2,
            name,
            words: format!("id {event_id}, version {version}"),
            events: types.count.get(row).copied(),
            payload_bytes: types.payload_bytes.get(row).copied(),
            expanded: Some(open),
        });
        if !open {
            return;
        }
        let Some(detail) = self.details.get(&id) else { return };
        let note = match (detail.fields.is_empty(), detail.schema_source.as_str()) {
            (true, "none") => "no fields are declared anywhere".to_owned(),
            (true, _) => "no payload".to_owned(),
            (false, source) => format!("fields from {source}"),
        };
        shown.push(Row {
            subject: Subject::Note(id),
            level: 3,
            name: String::new(),
            words: note,
            events: None,
            payload_bytes: None,
            expanded: None,
        });
        for (index, field) in detail.fields.iter().enumerate() {
            shown.push(Row {
                subject: Subject::Field(id, index),
                level: 3 + field.depth,
                name: field.name.clone(),
                words: field.type_name.clone(),
                events: None,
                payload_bytes: None,
                expanded: None,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::reply::FieldValue;

    fn types() -> Types {
        Types {
            event_type: vec![1, 2, 3],
            provider: ["Quiet", "Busy", "Busy"].into_iter().collect(),
            event_id: vec![1, 1, 2],
            version: vec![0, 0, 3],
            name: ["Ping", "Start", ""].into_iter().collect(),
            count: vec![5, 10, 20],
            payload_bytes: vec![50, 100, 200],
            ..Types::default()
        }
    }

    fn names(tree: &SchemaTree) -> Vec<String> {
        tree.rows(&types())
            .into_iter()
            .map(|row| format!("{}{} {}", "  ".repeat(row.level as usize - 1), row.name, row.words))
            .collect()
    }

    #[test]
    fn providers_come_with_the_sums_of_their_events() {
        let rows = SchemaTree::default().rows(&types());
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].name.as_str(), rows[0].events, rows[0].payload_bytes), ("Busy", Some(30), Some(300)));
    }

    #[test]
    fn what_is_open_shows_what_is_in_it() {
        let mut tree = SchemaTree::default();
        tree.open.extend([Subject::Provider("Busy".to_owned()), Subject::Type(2)]);
        let fields = vec![
            FieldValue { name: "ids".to_owned(), type_name: "object[]".to_owned(), ..FieldValue::default() },
            FieldValue { name: "id".to_owned(), type_name: "int".to_owned(), depth: 1, ..FieldValue::default() },
        ];
        let detail = TypeDetail { fields, schema_source: "the file".to_owned(), ..TypeDetail::default() };
        tree.details.insert(2, detail);
        let expected = [
            "Busy ",
            "  Start id 1, version 0",
            "     fields from the file",
            "    ids object[]",
            "      id int",
            "  Event 2 id 2, version 3",
            "Quiet ",
        ];
        assert_eq!(names(&tree), expected);
    }

    #[test]
    fn looking_for_a_name_opens_its_provider() {
        let tree = SchemaTree { find: "start".to_owned(), ..SchemaTree::default() };
        assert_eq!(names(&tree), ["Busy ", "  Start id 1, version 0"]);
    }
}
