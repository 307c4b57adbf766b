//! Keys of groups of events.

use crate::analysis::values::payload_text::Owner;
use crate::analysis::values::property::property_values;
use crate::analysis::values::sort_value::FieldPath;
use crate::analysis::values::value_text::value_text;
use crate::model::{EventChunk, EventType, Store, Strings, Thread};
use nettrace::{Value, decode_field};
use protocol::base::hash::FastMap;
use protocol::base::ids::StringId;
use protocol::request::EventColumn;

/// Maximum bytes of a field's texts; events with further texts form one group.
const MAX_TEXT_BYTES: u64 = 64 << 20;
/// Maximum bytes of a text that are compared.
const MAX_BYTES: usize = 512;

/// Finds the group of an event.
pub struct Keys {
    of: KeyOf,
    /// By group.
    names: Strings,
}

enum KeyOf {
    /// Group by type.
    Type(Vec<u32>),
    /// Group by thread.
    Thread(Vec<u32>),
    /// By writer: the group, named by the value of a property; without a name if there is none.
    Writer(Vec<u32>),
    Field(FieldKeys),
}

struct FieldKeys {
    /// By type: path of the field.
    paths: Vec<Option<FieldPath>>,
    /// By text: the group.
    groups: FastMap<StringId, u32>,
    without: Option<u32>,
    others: Option<u32>,
    /// By group: its text; `None` for the two groups without one.
    texts: Vec<Option<StringId>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupName<'k> {
    /// The common value of its events.
    Of(&'k str),
    /// Its events don't have the field.
    Without,
    /// Events beyond the memory limit.
    Others,
}

impl Keys {
    /// Groups by this key; by time or duration, all events form one group.
    pub fn new(store: &Store, by: &EventColumn) -> Self {
        let mut names = Strings::default();
        let mut of_type = |name: &dyn Fn(&EventType) -> String| {
            KeyOf::Type(store.types.iter().map(|event_type| names.intern(&name(event_type)).0).collect())
        };
        let of = match by {
            EventColumn::Time | EventColumn::Duration | EventColumn::BelongsTo | EventColumn::Payload => {
                of_type(&|_| String::new())
            }
            EventColumn::Provider => of_type(&|one| one.provider.clone()),
            EventColumn::Name => of_type(&|one| format!("{}/{}", one.provider, one.display_name)),
            EventColumn::Level => of_type(&|one| one.record.level.to_string()),
            EventColumn::Thread => {
                let labels = store.threads.iter().map(Thread::numbered_label);
                KeyOf::Thread(labels.map(|label| names.intern(&label).0).collect())
            }
            EventColumn::Property(property) => {
                let values = property_values(store, *property).into_iter();
                let texts = values.map(|value| value.map_or_else(String::new, |value| value.text));
                KeyOf::Writer(texts.map(|text| names.intern(&text).0).collect())
            }
            EventColumn::Field(name) => {
                let types = store.types.iter();
                KeyOf::Field(FieldKeys {
                    paths: types.map(|event_type| FieldPath::find(&event_type.schema.fields, name)).collect(),
                    groups: FastMap::default(),
                    without: None,
                    others: None,
                    texts: Vec::new(),
                })
            }
        };
        Self { of, names }
    }

    /// Returns whether the payload is needed to find the group of an event of this type.
    pub fn needs_payload(&self, event_type: usize) -> bool {
        match &self.of {
            KeyOf::Field(field) => field.paths.get(event_type).is_some_and(Option::is_some),
            _ => false,
        }
    }

    /// Returns the group of the event in a row of the chunk, with its payload if needed.
    pub fn group_of(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) -> u32 {
        let at = |groups: &[u32], index: usize| groups.get(index).copied().unwrap_or(0);
        match &mut self.of {
            KeyOf::Type(groups) => at(groups, chunk.event_type(row).index()),
            KeyOf::Thread(groups) => at(groups, chunk.thread(row).index()),
            KeyOf::Writer(groups) => at(groups, chunk.writer(row) as usize),
            KeyOf::Field(field) => match field.text_of(store, chunk, row, payload) {
                Some(text) => field.group_of_text(&mut self.names, &text),
                None => field.without(),
            },
        }
    }

    pub fn name(&self, group: u32) -> GroupName<'_> {
        let text = match &self.of {
            KeyOf::Field(field) if field.without == Some(group) => return GroupName::Without,
            KeyOf::Field(field) => field.texts.get(group as usize).copied().flatten(),
            KeyOf::Writer(_) if self.names.get(StringId(group)).is_empty() => return GroupName::Without,
            _ => Some(StringId(group)),
        };
        text.map_or(GroupName::Others, |text| GroupName::Of(self.names.get(text)))
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let lists = match &self.of {
            KeyOf::Field(field) => field.texts.capacity() * (size_of::<Option<StringId>>() + 12),
            _ => 0,
        };
        lists + self.names.heap_bytes() as usize
    }
}

impl FieldKeys {
    /// Returns the field's value as displayed.
    fn text_of(&self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) -> Option<String> {
        let event_type = chunk.event_type(row);
        let path = self.paths.get(event_type.index()).and_then(Option::as_ref)?;
        let event_type = store.types.get(event_type)?;
        let outer = decode_field(&event_type.schema.fields, payload, store.header.pointer_size, path.index);
        let value = path.follow(&outer)?;
        if matches!(value, Value::Null | Value::Error(_)) {
            return None;
        }
        let owner = Owner { provider: &event_type.provider, event_id: event_type.record.event_id };
        let name = path.name(&event_type.schema.fields);
        let mut text = owner.words(name, value).unwrap_or_else(|| value_text(value));
        text.truncate(text.floor_char_boundary(MAX_BYTES));
        Some(text)
    }

    fn group_of_text(&mut self, names: &mut Strings, text: &str) -> u32 {
        let text = if names.heap_bytes() < MAX_TEXT_BYTES { Some(names.intern(text)) } else { names.find(text) };
        let Some(text) = text else { return self.others() };
        let known = self.groups.get(&text).copied();
        known.unwrap_or_else(|| {
            let group = self.next(Some(text));
            self.groups.insert(text, group);
            group
        })
    }

    fn without(&mut self) -> u32 {
        let group = self.without.unwrap_or_else(|| self.next(None));
        *self.without.insert(group)
    }

    fn others(&mut self) -> u32 {
        let group = self.others.unwrap_or_else(|| self.next(None));
        *self.others.insert(group)
    }

    fn next(&mut self, text: Option<StringId>) -> u32 {
        self.texts.push(text);
        (self.texts.len() - 1) as u32
    }
}
