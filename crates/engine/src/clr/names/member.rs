//! Names of methods: constructors, operators, accessors, interface implementations, lambdas.

use super::csharp;
use super::generated::Generated;
use super::type_text::{Generics, Scanner};

/// Name of a method in C#.
pub(super) struct Member {
    /// Method name; for an accessor, the name of its property or event.
    pub name: String,
    /// Accessor, if it is one.
    pub accessor: Option<Accessor>,
}

/// Accessor of a property or event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Accessor {
    Get,
    Set,
    Add,
    Remove,
}

const ACCESSORS: [(&str, Accessor); 4] =
    [("get_", Accessor::Get), ("set_", Accessor::Set), ("add_", Accessor::Add), ("remove_", Accessor::Remove)];

impl Accessor {
    /// Returns the suffix of the name: `.get`.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Get => ".get",
            Self::Set => ".set",
            Self::Add => ".add",
            Self::Remove => ".remove",
        }
    }

    /// Returns the suffix of the full name: `.get`, or `[int].get` for an indexer. Omits the value parameter.
    pub fn tail(self, parameters: &[String]) -> String {
        let hidden = usize::from(self != Self::Get);
        let shown = &parameters[..parameters.len().saturating_sub(hidden)];
        let index = if shown.is_empty() { String::new() } else { format!("[{}]", shown.join(", ")) };
        index + self.suffix()
    }
}

impl Member {
    /// Parses the name of a method. `type_simple` is the name of the type, for constructors.
    pub fn new(method_name: &str, type_simple: &str) -> Self {
        let (interface, own) = split_interface(method_name);
        let accessor = ACCESSORS.iter().find_map(|(prefix, kind)| Some((own.strip_prefix(prefix)?, *kind)));
        let (own, accessor) = match accessor {
            Some((property, kind)) if !property.is_empty() => {
                (if property == "Item" { "this".to_owned() } else { property.to_owned() }, Some(kind))
            }
            _ => (own_name(own, type_simple), None),
        };
        let name = if interface.is_empty() { own } else { format!("{}.{own}", interface_name(interface)) };
        Self { name, accessor }
    }
}

/// Returns the name of a method, including the methods that contain it.
pub(super) fn nested_name(method_name: &str, type_simple: &str) -> String {
    let member = Member::new(method_name, type_simple);
    member.name + member.accessor.map_or("", Accessor::suffix)
}

fn own_name(name: &str, type_simple: &str) -> String {
    match (name, Generated::parse(name)) {
        (".ctor", _) => type_simple.to_owned(),
        (".cctor", _) => format!("static {type_simple}"),
        (_, Some(Generated::Lambda(method, ordinal))) => {
            let dot = if method.is_empty() { "" } else { "." };
            let number = if ordinal == 0 { String::new() } else { (u64::from(ordinal) + 1).to_string() };
            format!("{}{dot}λ{number}", nested_name(method, type_simple))
        }
        (_, Some(Generated::LocalFunction(method, local))) => {
            format!("{}.{local}", nested_name(method, type_simple))
        }
        (_, Some(Generated::Wrapper(method))) => nested_name(method, type_simple),
        _ => csharp::operator(name).unwrap_or_else(|| name.to_owned()),
    }
}

/// Splits the name of an explicit interface implementation (`System.IDisposable.Dispose`) at the last dot outside type
/// arguments.
fn split_interface(name: &str) -> (&str, &str) {
    let mut depth = 0;
    let mut split = None;
    for (position, character) in name.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            '.' if depth == 0 && position > 0 => split = Some(position),
            _ => {}
        }
    }
    // The dot before "ctor" belongs to the name.
    match split {
        Some(position) if !name[..position].ends_with('.') => (&name[..position], &name[position + 1..]),
        _ => ("", name),
    }
}

/// Returns the name of an interface as part of a method's name: type arguments in angle brackets, no arity.
fn interface_name(text: &str) -> String {
    let mut scanner = Scanner::new(text);
    let name = scanner.source_type_name(&Generics::default());
    name.filter(|_| scanner.is_at_end()).unwrap_or_else(|| text.to_owned())
}

/// Returns the name of code that the runtime generated, such as a stub for a call of native code.
pub(super) fn stub_name(name: &str) -> String {
    let Some(kind) = name.strip_prefix("IL_STUB") else { return name.to_owned() };
    match kind.trim_start_matches('_') {
        "" => "stub".to_owned(),
        "PInvoke" => "P/Invoke stub".to_owned(),
        "ReversePInvoke" => "reverse P/Invoke stub".to_owned(),
        "InstantiatingStub" => "instantiating stub".to_owned(),
        "UnboxingStub" => "unboxing stub".to_owned(),
        "MulticastDelegate_Invoke" => "multicast delegate stub".to_owned(),
        other => format!("{other} stub"),
    }
}
