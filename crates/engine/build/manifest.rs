//! Generates the known events and the readers of their payloads from the manifest.
//!
//! The first lines of `events.txt` explain the marks.

use std::collections::BTreeSet;
use std::fmt::Write;

/// Field of a version of an event.
struct Field<'t> {
    wire: &'t str,
    name: &'t str,
    mark: Option<Mark<'t>>,
}

/// Mark of a field that the store or an analysis needs.
#[derive(Clone, Copy)]
struct Mark<'t> {
    field: &'t str,
    presence: Presence,
    /// Type that is made of the number.
    made: Option<&'t str>,
}

/// What a reader returns for a payload that ends before a field.
#[derive(Clone, Copy, PartialEq)]
enum Presence {
    /// Nothing: the field is required.
    Required,
    Optional,
    Default,
}

/// Layout of an event's versions, up to the first version with another layout altogether.
struct Layout<'t> {
    end_version: u32,
    fields: Vec<Field<'t>>,
}

/// Classes of events with the names and descriptions of their functions.
const CLASSES: [(&str, &str, &str); 4] = [
    ("kept", "is_kept", "analyses read the payload of every event of this kind"),
    ("task", "is_task_lifecycle", "the event is about the life of a task"),
    (
        "explains",
        "explains_others",
        "events at any time can be understood only with this one: it names code, modules, threads, types or the process",
    ),
    ("runs", "proves_running", "only running managed code can cause the event, so that the thread was on a CPU"),
];

/// Variants without an ID.
const BY_NAME: &str = "    /// Any other event.
    #[default]
    Other,
    /// CPU sample of a machine-wide trace (by name: its ID differs from file to file).
    CpuSample,
    /// Context switch of a machine-wide trace (by name: its ID differs from file to file).
    ContextSwitch,
    /// Report of an `EventSource` about itself, mostly a failure (any provider, by name).
    EventSourceMessage,
";

/// Returns the Rust code of the enum of known events, its classes, and their IDs.
pub fn known_events(manifest: &str) -> Result<String, String> {
    let mut variants: Vec<(&str, Vec<String>)> = Vec::new();
    let mut members: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); CLASSES.len()];
    let mut ids = String::new();
    let mut provider = "";
    for line in manifest.lines() {
        provider = line.strip_prefix("provider ").unwrap_or(provider);
        let mut words = line.split(' ');
        let (Some("event"), Some(id), Some(name)) = (words.next(), words.next(), words.next()) else { continue };
        let Some(known) = words.skip_while(|word| *word != "as").nth(1) else { continue };
        let mut known = known.split(',');
        let variant = known.next().unwrap_or_default();
        let description = format!("`{name}` ({id}) of `{provider}`");
        match variants.iter_mut().find(|(known, _)| *known == variant) {
            Some((_, descriptions)) => descriptions.push(description),
            None => variants.push((variant, vec![description])),
        }
        for class in known {
            let at = CLASSES.iter().position(|(name, ..)| *name == class);
            let members = at.and_then(|at| members.get_mut(at)).ok_or_else(|| format!("{line}: no class {class}"))?;
            members.insert(variant);
        }
        let _ = writeln!(ids, "            (\"{provider}\", {id}) => Self::{variant},");
    }
    let mut code = String::from("/// Event that the store or an analysis needs, or [`KnownEvent::Other`].\n");
    code.push_str("#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]\npub enum KnownEvent {\n");
    code.push_str(BY_NAME);
    for (variant, descriptions) in &variants {
        let _ = writeln!(code, "    /// {}.\n    {variant},", descriptions.join(", "));
    }
    code.push_str("}\n\nimpl KnownEvent {\n");
    let _ = writeln!(code, "    fn of_manifest(provider: &str, event_id: u32) -> Self {{");
    let _ =
        writeln!(code, "        match (provider, event_id) {{\n{ids}            _ => Self::Other,\n        }}\n    }}");
    for ((_, function, description), members) in CLASSES.iter().zip(&members) {
        let members: Vec<String> = members.iter().map(|member| format!("Self::{member}")).collect();
        let _ = writeln!(code, "\n    /// Returns whether {description}.\n    pub fn {function}(self) -> bool {{");
        let _ = writeln!(code, "        matches!(self, {})\n    }}", members.join(" | "));
    }
    code.push_str("}\n");
    Ok(code)
}

/// Returns the Rust code of all readers.
pub fn readers(manifest: &str) -> Result<String, String> {
    let mut code = String::new();
    let mut lines = manifest.lines().peekable();
    let mut known = BTreeSet::new();
    while let Some(head) = lines.next() {
        let mut versions = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with(' ')) {
            versions.push(line.trim());
        }
        if !head.starts_with("event ") {
            continue;
        }
        let mut words = head.split(' ').skip(2);
        let event = words.next().unwrap_or_default();
        let reader = words.skip_while(|word| *word != "reads").nth(1);
        let layouts = layouts(&versions).map_err(|problem| format!("{head}: {problem}"))?;
        match reader {
            Some(reader) if layouts.is_empty() => return Err(format!("{reader} reads no marked field")),
            Some(reader) if !known.insert(reader) => return Err(format!("{reader} is declared twice")),
            Some(reader) => write_reader(&mut code, event, reader, &layouts),
            None if layouts.is_empty() => {}
            None => return Err(format!("{head}: marked fields without a reader")),
        }
    }
    Ok(code)
}

/// Returns the layouts with marked fields.
fn layouts<'t>(versions: &[&'t str]) -> Result<Vec<Layout<'t>>, String> {
    let mut all: Vec<Layout<'t>> = Vec::new();
    for line in versions {
        let (version, text) = line.split_once(' ').unwrap_or((line, ""));
        let number = version.get(1..).and_then(|number| number.parse().ok()).ok_or("a version without a number")?;
        let fields = split(text).map(field).collect::<Result<Vec<_>, _>>()?;
        match all.last_mut() {
            Some(last) if version.starts_with('+') => last.fields.extend(fields),
            last => {
                last.into_iter().for_each(|last| last.end_version = number);
                all.push(Layout { end_version: u32::MAX, fields });
            }
        }
    }
    all.retain(|layout| layout.fields.iter().any(|field| field.mark.is_some()));
    Ok(all)
}

/// Splits declarations at commas outside braces.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let parts = text.split(move |character| {
        depth += i32::from(character == '{') - i32::from(character == '}');
        character == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// Parses `TYPE NAME`, `TYPE NAME@FIELD`, `TYPE NAME@FIELD=TYPE`, each perhaps with `:VALUES`.
fn field(declaration: &str) -> Result<Field<'_>, String> {
    let (wire, name) = declaration.rsplit_once(' ').ok_or("a field without a name")?;
    let name = name.split_once(':').map_or(name, |(name, _)| name);
    let Some((name, mark)) = name.split_once('@') else { return Ok(Field { wire, name, mark: None }) };
    let (field, made) = mark.split_once('=').map_or((mark, None), |(field, made)| (field, Some(made)));
    let (field, presence) = match (field.strip_suffix('?'), field.strip_suffix('~')) {
        (Some(field), _) => (field, Presence::Optional),
        (_, Some(field)) => (field, Presence::Default),
        _ => (field, Presence::Required),
    };
    Ok(Field { wire, name, mark: Some(Mark { field, presence, made }) })
}

/// Returns the method of the cursor and the Rust type of a type in the manifest; `None` for arrays and structures.
fn read(wire: &str) -> Option<(&'static str, &'static str)> {
    Some(match wire {
        "u8" => ("u8", "u8"),
        "u16" => ("u16", "u16"),
        // IDs are never negative.
        "u32" | "i32" | "bool32" => ("u32", "u32"),
        "u64" | "i64" => ("u64", "u64"),
        "f64" => ("f64", "f64"),
        "ptr" => ("pointer", "u64"),
        "guid" => ("guid", "nettrace::Guid"),
        "wstr" => ("text", "Utf16Text<'d>"),
        "varu" => ("varint", "u64"),
        "s16" => ("counted_text", "&'d str"),
        _ => return None,
    })
}

/// Returns the widest type that the layouts have for a field.
fn type_of<'t>(layouts: &[Layout<'t>], name: &str) -> &'static str {
    let of_layout = |layout: &Layout<'t>| {
        layout.fields.iter().find(|field| is_marked(field, name)).and_then(|field| read(field.wire))
    };
    let types: Vec<&str> = layouts.iter().filter_map(of_layout).map(|(_, rust)| rust).collect();
    ["u64", "u32", "u16", "u8"].into_iter().find(|rust| types.contains(rust)).or(types.first().copied()).unwrap_or("()")
}

fn is_marked(field: &Field<'_>, name: &str) -> bool {
    field.mark.is_some_and(|mark| mark.field == name)
}

fn write_reader(code: &mut String, event: &str, reader: &str, layouts: &[Layout<'_>]) {
    let mut marks: Vec<(&str, Mark<'_>)> = Vec::new();
    for field in layouts.iter().rev().flat_map(|layout| &layout.fields) {
        if let Some(mark) = field.mark.filter(|mark| marks.iter().all(|(_, known)| known.field != mark.field)) {
            marks.push((field.name, mark));
        }
    }
    let types: Vec<&str> = marks.iter().map(|(_, mark)| type_of(layouts, mark.field)).collect();
    let needs_pointers = layouts.iter().any(|layout| read_fields(layout).iter().any(|field| field.wire == "ptr"));
    let borrows = types.iter().any(|rust| rust.contains("'d"));
    let lifetime = if borrows { "<'d>" } else { "" };
    let equality = if types.contains(&"f64") { "PartialEq" } else { "PartialEq, Eq" };
    let _ = writeln!(code, "/// Fields of `{event}` that the store or an analysis needs.");
    let _ = writeln!(code, "#[derive(Clone, Copy, {equality}, Debug)]\npub struct {reader}{lifetime} {{");
    for ((name, mark), rust) in marks.iter().zip(&types) {
        let rust = match (mark.made, mark.presence) {
            (Some("bool"), _) => "bool".to_owned(),
            (Some(made), _) => format!("Option<{made}>"),
            (None, Presence::Optional) => format!("Option<{rust}>"),
            (None, _) => (*rust).to_owned(),
        };
        let _ = writeln!(code, "    /// `{name}`.\n    pub {}: {rust},", mark.field);
    }
    let borrowed = if borrows { "&'d [u8]" } else { "&[u8]" };
    let version = if layouts.len() > 1 { ", version: u32" } else { "" };
    let pointers = if needs_pointers { ", pointer_size: u8" } else { "" };
    let _ = writeln!(code, "}}\n\nimpl{lifetime} {reader}{lifetime} {{");
    let _ = writeln!(code, "    /// Reads the fields; `None` if the payload ends before a required one.");
    let _ = writeln!(code, "    pub fn read(payload: {borrowed}{version}{pointers}) -> Option<Self> {{");
    let size = if needs_pointers { "pointer_size" } else { "8" };
    let _ = writeln!(code, "        let mut cursor = Cursor::new(payload, {size});");
    for (at, layout) in layouts.iter().enumerate() {
        let is_last = at + 1 == layouts.len();
        if !is_last {
            let _ = writeln!(code, "        if version < {} {{", layout.end_version);
        }
        write_layout(code, layout, &marks, &types, is_last);
        if !is_last {
            code.push_str("        }\n");
        }
    }
    code.push_str("    }\n}\n\n");
}

/// Returns the fields up to the last marked one.
fn read_fields<'l, 't>(layout: &'l Layout<'t>) -> &'l [Field<'t>] {
    let count = layout.fields.iter().rposition(|field| field.mark.is_some()).map_or(0, |last| last + 1);
    layout.fields.get(..count).unwrap_or_default()
}

fn write_layout(code: &mut String, layout: &Layout<'_>, marks: &[(&str, Mark<'_>)], types: &[&str], is_last: bool) {
    let fields = read_fields(layout);
    let is_required = |field: &Field<'_>| field.mark.is_some_and(|mark| mark.presence == Presence::Required);
    let required = fields.iter().rposition(is_required).map_or(0, |last| last + 1);
    let variable =
        |field: &Field<'_>, at: usize| field.mark.map_or(format!("skipped_{at}"), |mark| mark.field.to_owned());
    let mut before = None;
    for (at, field) in fields.iter().enumerate() {
        let Some((method, _)) = read(field.wire) else {
            let _ = writeln!(code, "        compile_error!(\"`{}` can't be skipped\");", field.name);
            continue;
        };
        let variable = variable(field, at);
        let _ = match before {
            _ if at < required && field.mark.is_none() => writeln!(code, "        cursor.{method}()?;"),
            _ if at < required => writeln!(code, "        let {variable} = cursor.{method}()?;"),
            // Fields after the required ones are read as long as the payload has them.
            None => writeln!(code, "        let {variable} = cursor.{method}();"),
            Some(before) => writeln!(code, "        let {variable} = {before}.and_then(|_| cursor.{method}());"),
        };
        before = (at >= required).then_some(variable);
    }
    let mut values = String::new();
    for ((_, mark), rust) in marks.iter().zip(types) {
        let field = fields.iter().find(|field| is_marked(field, mark.field));
        let is_narrow = field.and_then(|field| read(field.wire)).is_some_and(|(_, wire)| wire != *rust);
        let name = mark.field;
        let _ = match (field, mark.presence, mark.made) {
            (None, ..) => write!(values, "{name}: None, "),
            (_, Presence::Required, Some("bool")) => write!(values, "{name}: {name} == 1, "),
            (_, Presence::Required, Some(made)) => write!(values, "{name}: {made}::from_number({name}), "),
            (_, Presence::Required, None) if is_narrow => write!(values, "{name}: {rust}::from({name}), "),
            (_, Presence::Required | Presence::Optional, None) => write!(values, "{name}, "),
            (_, Presence::Optional, Some(made)) => write!(values, "{name}: {name}.and_then({made}::from_number), "),
            (_, Presence::Default, _) => write!(values, "{name}: {name}.unwrap_or_default(), "),
        };
    }
    let _ = match is_last {
        true => writeln!(code, "        Some(Self {{ {values}}})"),
        false => writeln!(code, "        return Some(Self {{ {values}}});"),
    };
}
