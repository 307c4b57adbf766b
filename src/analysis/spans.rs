//! Start and Stop events of any provider, put together (field notes 5.4).
//!
//! A stop ends a start of its own kind: the one with the same value in the field that names it (a request, a connection),
//! else with the same activity, else with an activity below the stop's (the tracker has already left it), else the latest
//! on the same thread. What stays alone is open-ended.

use super::activity_path::activity_path;
use super::header_detail::opcode_of;
use super::marks::{Mark, MarkSet, Texts};
use super::pairs::{End, Pairs};
use super::rows::TypeSet;
use crate::clr::provider::Provider;
use crate::model::ids::{ActivityId, EventId, ThreadId};
use crate::model::{EventType, Store};
use crate::nettrace::{ByteSource, SourceError, Value};
use crate::protocol::track::TrackKind;
use rustc_hash::FxHashMap;

/// Opcodes of `EventSource` (`EventOpcode`).
const START: u8 = 1;
const STOP: u8 = 2;
/// Fields that name what an event is about, where libraries have one.
const KEY_FIELDS: [&str; 2] = ["requestId", "connectionId"];
/// Fields of requests, in the order in which they are shown.
const REQUEST_FIELDS: [&str; 4] = ["method", "host", "path", "pathAndQuery"];

/// A kind of start or stop.
#[derive(Clone, Copy)]
struct Role {
    /// Starts and stops that belong together have the same.
    group: u32,
    is_start: bool,
    /// Position of the field that names what it is about.
    key_field: Option<usize>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Value(u32, String),
    Activity(u32, ActivityId),
    Thread(u32, ThreadId),
}

/// The spans of a track; the name says what, the note which provider tells of it.
///
/// # Errors
/// If a payload cannot be read from the file.
pub fn spans(store: &Store, source: &dyn ByteSource, kind: TrackKind) -> Result<MarkSet, SourceError> {
    let mut groups = Groups::default();
    let has_kestrel = store.types().iter().any(|one| one.provider == KESTREL && one.count > 0);
    let roles: Vec<Option<Role>> = store
        .types()
        .iter()
        .map(|event_type| (track_of(event_type, has_kestrel) == Some(kind)).then(|| groups.role(event_type)).flatten())
        .collect();
    let mut spans = Open { pairs: Pairs::new(store), below: FxHashMap::default(), store };
    let mut failure = None;
    let wanted = TypeSet::new(store, |event_type| roles.get(event_type.id.index()).is_some_and(Option::is_some));
    wanted.for_each_row(store, 0..store.events().len(), |chunk, row| {
        let Some(role) = roles.get(chunk.event_type(row).index()).copied().flatten() else { return };
        let end = End::of(store, chunk, row);
        let value = match role.key_field.map(|field| value_of(store, source, end.event, field)).transpose() {
            Ok(value) => value.flatten(),
            Err(error) => return failure = Some(error),
        };
        spans.take(role, value, chunk.activity(row), end);
    });
    match failure {
        Some(error) => Err(error),
        None => named(store, source, spans.pairs.finish(), &groups, &roles),
    }
}

const KESTREL: &str = "Microsoft-AspNetCore-Server-Kestrel";
const HOSTING: &str = "Microsoft.AspNetCore.Hosting";
const HTTP_CLIENT: &str = "System.Net.Http";

/// The track on which a provider's starts and stops are shown. What several providers tell of is shown once: requests as
/// the server sees them, if it does; what the runtime tells has tracks of its own.
fn track_of(event_type: &EventType, has_kestrel: bool) -> Option<TrackKind> {
    let provider = event_type.provider.as_str();
    let is_request = base_name(&event_type.display_name) == "Request";
    match provider {
        KESTREL if is_request => Some(TrackKind::RequestsServed),
        HOSTING if is_request => (!has_kestrel).then_some(TrackKind::RequestsServed),
        HTTP_CLIENT if is_request => Some(TrackKind::RequestsSent),
        _ if Provider::from_name(provider).is_some() => None,
        _ if provider.starts_with("System.Net.") || provider == KESTREL => Some(TrackKind::Network),
        _ if provider.starts_with("System.") || provider.starts_with("Microsoft") => None,
        _ => Some(TrackKind::Spans),
    }
}

/// The name of an event without the word that says which end it is.
fn base_name(name: &str) -> &str {
    let name = name.strip_suffix("Start").or_else(|| name.strip_suffix("Stop")).unwrap_or(name);
    name.strip_suffix('/').unwrap_or(name)
}

#[derive(Default)]
struct Groups {
    names: Vec<(String, String)>,
}

impl Groups {
    fn role(&mut self, event_type: &EventType) -> Option<Role> {
        let name = event_type.display_name.as_str();
        let is_start = match opcode_of(event_type) {
            START => true,
            STOP => false,
            _ if name.ends_with("Start") => true,
            _ if name.ends_with("Stop") => false,
            _ => return None,
        };
        let name = (event_type.provider.clone(), base_name(name).to_owned());
        let group = self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        let fields = &event_type.schema.fields;
        let key_field = KEY_FIELDS.iter().find_map(|key| fields.iter().position(|field| field.name == *key));
        Some(Role { group: group as u32, is_start, key_field })
    }
}

struct Open<'s> {
    pairs: Pairs<Key>,
    /// Activities of open starts by group, with their paths: a stop may carry an activity above.
    below: FxHashMap<u32, Vec<(ActivityId, String)>>,
    store: &'s Store,
}

impl Open<'_> {
    fn take(&mut self, role: Role, value: Option<String>, activity: ActivityId, end: End) {
        let group = role.group;
        let key = match value {
            Some(value) => Key::Value(group, value),
            None if activity.0 != 0 => Key::Activity(group, activity),
            None => Key::Thread(group, end.thread),
        };
        if role.is_start {
            if let Key::Activity(..) = key {
                let path = self.path(activity);
                self.below.entry(group).or_default().push((activity, path));
            }
            return self.pairs.start(key, end, 0);
        }
        let key = match key {
            Key::Activity(..) => self.open_activity(group, activity).map_or(key, |open| Key::Activity(group, open)),
            key => key,
        };
        self.pairs.stop(&key, end, 0);
    }

    /// The activity of the open start that a stop in `activity` ends: the same, else the latest one below it.
    fn open_activity(&mut self, group: u32, activity: ActivityId) -> Option<ActivityId> {
        let path = self.path(activity);
        let open = self.below.get_mut(&group)?;
        let is_same = |entry: &(ActivityId, String)| entry.0 == activity;
        let is_below = |entry: &(ActivityId, String)| !path.is_empty() && entry.1.starts_with(&path);
        let at = open.iter().rposition(is_same).or_else(|| open.iter().rposition(is_below))?;
        Some(open.remove(at).0)
    }

    fn path(&self, activity: ActivityId) -> String {
        let guid = self.store.activities().guid(activity);
        activity_path(&guid.0, self.store.header().process_id).unwrap_or_default()
    }
}

/// The text of one field of an event.
fn value_of(
    store: &Store,
    source: &dyn ByteSource,
    event: EventId,
    field: usize,
) -> Result<Option<String>, SourceError> {
    let values = store.decode(event, source)?;
    Ok(values.into_iter().nth(field).and_then(|(_, value)| match value {
        Value::String(text) => Some(text),
        _ => None,
    }))
}

fn named(
    store: &Store,
    source: &dyn ByteSource,
    mut marks: Vec<Mark>,
    groups: &Groups,
    roles: &[Option<Role>],
) -> Result<MarkSet, SourceError> {
    let mut texts = Texts::default();
    for mark in &mut marks {
        let event_type = store.events().row(mark.event).event_type;
        let Some(role) = roles.get(event_type.index()).copied().flatten() else { continue };
        let Some((provider, base)) = groups.names.get(role.group as usize) else { continue };
        let mut name = String::new();
        if base == "Request" {
            for (field, value) in store.decode(mark.event, source)? {
                if let (true, Value::String(text)) = (REQUEST_FIELDS.contains(&field.name.as_str()), value) {
                    let is_method = field.name == "method";
                    match is_method && !name.is_empty() {
                        // The method may come after the path.
                        true => name.insert_str(0, &(text + " ")),
                        false => name.push_str(&(text + if is_method { " " } else { "" })),
                    }
                }
            }
        }
        let name = if name.is_empty() { base.as_str() } else { name.as_str() };
        (mark.name, mark.note) = (texts.position(name), texts.position(provider));
    }
    Ok(MarkSet::new(marks, texts).packed())
}
