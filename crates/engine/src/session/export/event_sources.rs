//! Event types as C# source code of event sources that write them.
//!
//! The code is a starting point: invalid identifiers are changed, events that only the runtime writes are excluded, and
//! data that a trace doesn't record, such as message templates up to version 5, is missing.

use super::csharp::{Type, comment, escaped, identifier, literal, unique};
use crate::analysis::file::event_types::type_table;
use crate::clr::Provider;
use crate::clr::manifest::{keyword_names, level_name, opcode_name};
use crate::model::EventType;
use crate::session::Session;
use protocol::base::ids::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Names that `EventSource` reserves or already has as members.
const TAKEN: &str = "ConstructionException CurrentThreadActivityId Dispose Equals EventCommandExecuted Finalize \
    GenerateManifest GetGuid GetHashCode GetName GetSources GetTrait GetType Guid IsEnabled Keywords Log MemberwiseClone \
    Name OnEventCommand Opcodes ReferenceEquals SendCommand SetCurrentThreadActivityId Settings Tasks ToString Write \
    WriteEvent WriteEventCore WriteEventWithRelatedActivityId WriteEventWithRelatedActivityIdCore";
/// Valid event IDs of an event source.
const EVENT_IDS: std::ops::RangeInclusive<u32> = 1..=65_534;

/// Returns the event sources of matching providers, as one file.
pub fn event_sources(session: &Session, is_wanted: impl Fn(&str) -> bool) -> String {
    let types = type_table(session.store());
    let mut providers: BTreeMap<&str, Vec<&EventType>> = BTreeMap::new();
    for id in &types.event_type {
        let Some(one) = session.store().types.get(TypeId(*id)) else { continue };
        if is_wanted(&one.provider) {
            providers.entry(&one.provider).or_default().push(one);
        }
    }
    let (written, excluded): (Vec<_>, Vec<_>) = providers.into_iter().partition(|(provider, _)| !is_native(provider));
    let mut text = format!("// Event sources that write events like those in {}.\n", comment(&session.file().name));
    text.push_str(
        "// Generated from the schemas in the trace, as a starting point: call the methods with your own arguments.\n",
    );
    for (provider, _) in &excluded {
        // Writing to a string can't fail, here and below.
        let _ = writeln!(text, "// Excluded: {}, which C# event sources can't write.", comment(provider));
    }
    text.push_str("#nullable disable\n\nusing System;\nusing System.Diagnostics.Tracing;\n");
    let mut classes = BTreeSet::new();
    for (provider, events) in written {
        let class = unique(identifier(provider, "Provider"), &mut classes);
        text.push('\n');
        Source::new(provider, class, &events).write(&mut text);
    }
    text
}

/// Returns whether the runtime or the system writes the events of a provider, not an event source.
fn is_native(provider: &str) -> bool {
    use Provider as P;
    let known = Provider::from_name(provider);
    !matches!(known, None | Some(P::Tasks | P::Framework | P::DiagnosticSource | P::Loggers | P::AsyncProfiler))
}

/// Class that is being generated.
struct Source<'e> {
    provider: &'e str,
    class: String,
    /// Names of members.
    taken: BTreeSet<String>,
    events: Vec<Event<'e>>,
    /// Versions and events that aren't generated, one sentence each.
    notes: Vec<String>,
}

/// Event with its name in C#.
struct Event<'e> {
    event_type: &'e EventType,
    method: String,
    fields: Vec<(String, Type)>,
    /// True if its fields are one object, so it is self-describing.
    is_self_described: bool,
}

impl<'e> Source<'e> {
    fn new(provider: &'e str, class: String, types: &[&'e EventType]) -> Self {
        let mut taken: BTreeSet<String> = TAKEN.split_whitespace().map(str::to_owned).collect();
        taken.insert(class.clone());
        let mut source = Self { provider, class, taken, events: Vec::new(), notes: Vec::new() };
        let mut newest: BTreeMap<u32, &EventType> = BTreeMap::new();
        for &one in types {
            let (id, version) = (one.record.event_id, one.record.version);
            if self_described(one).is_some() {
                source.add(one);
            } else if !EVENT_IDS.contains(&id) {
                source.notes.push(format!("{} has ID {id}, which an EventSource can't use.", one.display_name));
            } else if let Some(known) = newest.insert(id, one) {
                // Event types are sorted by version.
                let older = format!("{} {id} also exists as version {}", known.display_name, known.record.version);
                source.notes.push(format!("{older}; this is version {version}."));
            }
        }
        newest.into_values().for_each(|one| source.add(one));
        source
    }

    fn add(&mut self, one: &'e EventType) {
        let method = unique(identifier(&one.display_name, "Event"), &mut self.taken);
        let inner = self_described(one);
        let fields = inner.as_ref().unwrap_or(&one.schema.fields);
        let fields = fields.iter().map(|field| (field.name.clone(), Type::of(&field.field_type))).collect();
        self.events.push(Event { event_type: one, method, fields, is_self_described: inner.is_some() });
    }

    fn write(mut self, text: &mut String) {
        for note in &self.notes {
            let _ = writeln!(text, "// {}", comment(note));
        }
        let guid = self.events.iter().find_map(|event| event.event_type.record.provider_guid);
        let guid = guid.map_or(String::new(), |guid| format!(", Guid = \"{guid}\""));
        let _ = writeln!(text, "[EventSource(Name = {}{guid})]", literal(self.provider));
        let class = escaped(&self.class);
        let _ = writeln!(text, "public sealed class {class} : EventSource\n{{");
        let _ = writeln!(text, "    public static readonly {class} Log = new {class}();\n");
        let needs_description = self
            .events
            .iter()
            .any(|event| event.is_self_described || event.fields.iter().any(|(_, field)| !field.fits_manifest()));
        let format = if needs_description { "EtwSelfDescribingEventFormat" } else { "EtwManifestEventFormat" };
        let _ = writeln!(text, "    private {class}() : base(EventSourceSettings.{format})\n    {{\n    }}");
        let keywords = self.write_keywords(text);
        let tasks = self.write_tasks(text);
        self.write_opcodes(text);
        for event in std::mem::take(&mut self.events) {
            self.write_event(text, &event, &keywords, &tasks);
        }
        text.push_str("}\n");
    }

    /// Writes the keywords, and returns their names by bit.
    fn write_keywords(&self, text: &mut String) -> BTreeMap<u32, String> {
        let used = self.events.iter().fold(0, |used, event| used | event.event_type.record.keywords);
        let mut taken = BTreeSet::from(["Keywords".to_owned()]);
        let mut names = BTreeMap::new();
        for bit in (0..u64::BITS).filter(|bit| used >> bit & 1 == 1) {
            // Session bits have no name.
            let Some(name) = keyword_names(self.provider, 1 << bit).pop() else { continue };
            let name = if name.starts_with("0x") { format!("Keyword{name}") } else { name };
            names.insert(bit, unique(identifier(&name, "Keyword"), &mut taken));
        }
        let lines = names.iter().map(|(bit, name)| constant("EventKeywords", name, &format!("{:#x}", 1_u64 << bit)));
        write_constants(text, "Keywords", lines.collect());
        names
    }

    /// Writes the tasks, and returns their names by method. Event sources infer those of "OrderStart" and "OrderStop".
    fn write_tasks(&self, text: &mut String) -> BTreeMap<String, String> {
        let mut taken = BTreeSet::from(["Tasks".to_owned()]);
        let needs_task = |event: &&Event<'_>| {
            let opcode = event.event_type.opcode();
            let is_named = opcode_name(opcode).is_some_and(|name| event.method.ends_with(name));
            opcode != 0 && !is_named && !event.is_self_described
        };
        let events = self.events.iter().filter(needs_task);
        let names: Vec<_> =
            events.map(|event| (event.method.clone(), unique(event.method.clone(), &mut taken))).collect();
        let lines = (1..).zip(&names).map(|(number, (_, name))| constant("EventTask", name, &format!("{number}")));
        write_constants(text, "Tasks", lines.collect());
        names.into_iter().collect()
    }

    fn write_opcodes(&self, text: &mut String) {
        let opcodes: BTreeSet<u8> = self.events.iter().map(|event| event.event_type.opcode()).collect();
        let own = opcodes.into_iter().filter(|opcode| opcode_name(*opcode).is_none());
        let lines = own.map(|opcode| constant("EventOpcode", &format!("Opcode{opcode}"), &opcode.to_string()));
        write_constants(text, "Opcodes", lines.collect());
    }

    fn write_event(
        &mut self,
        text: &mut String,
        event: &Event<'_>,
        keywords: &BTreeMap<u32, String>,
        tasks: &BTreeMap<String, String>,
    ) {
        text.push('\n');
        let record = &event.event_type.record;
        if event.method != event.event_type.display_name {
            let _ = writeln!(text, "    // Name in the trace: {}.", comment(&event.event_type.display_name));
        }
        if let Some(description) = record.description.as_deref().filter(|description| !description.is_empty()) {
            let _ = writeln!(text, "    // {}", comment(description));
        }
        let mut classes = String::new();
        let data = event.is_self_described.then(|| unique(format!("{}Data", event.method), &mut self.taken));
        let owner = data.as_deref().unwrap_or(&event.method);
        let fields = self.named_fields(owner, &event.fields, &mut classes);
        let method = escaped(&event.method);
        let level = format!("EventLevel.{}", level_name(record.level).unwrap_or_default());
        let level = if level_name(record.level).is_some() { level } else { format!("(EventLevel){}", record.level) };
        let opcode = event.event_type.opcode();
        let opcode = match opcode_name(opcode) {
            Some(name) => format!("EventOpcode.{name}"),
            None => format!("Opcodes.Opcode{opcode}"),
        };
        let used = keywords.iter().filter(|(bit, _)| record.keywords >> **bit & 1 == 1);
        let used: Vec<String> = used.map(|(_, name)| format!("Keywords.{}", escaped(name))).collect();
        if let Some(data) = data {
            write_class(&mut classes, &data, &fields);
            let keywords = if used.is_empty() { String::new() } else { format!(", Keywords = {}", used.join(" | ")) };
            let name = literal(&event.event_type.display_name);
            let _ = writeln!(text, "    [NonEvent]\n    public void {method}({data} data)\n    {{");
            let options = format!("new EventSourceOptions {{ Level = {level}, Opcode = {opcode}{keywords} }}");
            let _ = writeln!(text, "        Write({name}, {options}, data);\n    }}");
            text.push_str(&classes);
            return;
        }
        let mut parts = vec![record.event_id.to_string(), format!("Level = {level}")];
        if record.version > 0 && record.version <= u8::MAX.into() {
            parts.push(format!("Version = {}", record.version));
        }
        if !used.is_empty() {
            parts.push(format!("Keywords = {}", used.join(" | ")));
        }
        if let Some(task) = tasks.get(&event.method) {
            parts.push(format!("Task = Tasks.{}", escaped(task)));
        }
        if event.event_type.opcode() != 0 {
            parts.push(format!("Opcode = {opcode}"));
        }
        if let Some(template) = record.message_template.as_deref().filter(|template| !template.is_empty()) {
            parts.push(format!("Message = {}", literal(&numbered(template, &event.fields))));
        }
        let parameters: Vec<String> = fields.iter().map(|(name, type_name)| format!("{type_name} {name}")).collect();
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        // Other overloads would convert the arguments: a char to an int, a uint to a long.
        let values =
            if names.is_empty() { String::new() } else { format!(", new object[] {{ {} }}", names.join(", ")) };
        let _ = writeln!(text, "    [Event({})]", parts.join(", "));
        let _ = writeln!(text, "    public void {method}({})\n    {{", parameters.join(", "));
        let _ = writeln!(text, "        WriteEvent({}{values});\n    }}", record.event_id);
        text.push_str(&classes);
    }

    /// Returns the names and types of fields in C#, and adds the classes that they need to `classes`.
    fn named_fields(&mut self, owner: &str, fields: &[(String, Type)], classes: &mut String) -> Vec<(String, String)> {
        let mut taken: BTreeSet<String> = TAKEN.split_whitespace().map(str::to_owned).collect();
        taken.insert(owner.to_owned());
        let mut named = Vec::new();
        for (name, field) in fields {
            let name = unique(identifier(name, "value"), &mut taken);
            let type_name = self.type_name(&format!("{owner}_{name}"), field, classes);
            named.push((escaped(&name), type_name));
        }
        named
    }

    fn type_name(&mut self, place: &str, field: &Type, classes: &mut String) -> String {
        match field {
            Type::Known(name) => name.clone(),
            Type::ArrayOf(element) => self.type_name(place, element, classes) + "[]",
            Type::Made(fields) => {
                let class = unique(place.to_owned(), &mut self.taken);
                let fields = self.named_fields(&class, fields, classes);
                write_class(classes, &class, &fields);
                class
            }
        }
    }
}

/// Returns the fields of a self-describing event, which are inside one unnamed object.
fn self_described(one: &EventType) -> Option<Vec<nettrace::Field>> {
    match one.schema.fields.as_slice() {
        [field] if field.name.is_empty() => match &field.field_type {
            nettrace::FieldType::Object(inner) => Some(inner.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns a message template with indices of fields instead of their names, as event sources require.
fn numbered(template: &str, fields: &[(String, Type)]) -> String {
    let mut text = template.to_owned();
    for (at, (name, _)) in fields.iter().enumerate().filter(|(_, (name, _))| !name.is_empty()) {
        text = text.replace(&format!("{{{name}}}"), &format!("{{{at}}}"));
    }
    text
}

fn constant(type_name: &str, name: &str, value: &str) -> String {
    format!("        public const {type_name} {} = ({type_name}){value};\n", escaped(name))
}

fn write_constants(text: &mut String, class: &str, lines: Vec<String>) {
    if !lines.is_empty() {
        let _ = write!(text, "\n    public static class {class}\n    {{\n{}    }}\n", lines.concat());
    }
}

fn write_class(text: &mut String, name: &str, fields: &[(String, String)]) {
    let properties: Vec<String> =
        fields.iter().map(|(name, type_name)| format!("        public {type_name} {name} {{ get; set; }}\n")).collect();
    let _ = write!(text, "\n    [EventData]\n    public sealed class {name}\n    {{\n{}    }}\n", properties.concat());
}

#[cfg(test)]
#[path = "event_sources_tests.rs"]
mod tests;
