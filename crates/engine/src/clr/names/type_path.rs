//! Type of a method: ``Namespace.Outer`1+Inner[Argument]``.

use super::generated::Generated;
use super::member;
use super::type_text::{Generics, Scanner};

/// Type with its enclosing types.
#[derive(Clone, Debug)]
pub(super) struct TypePath<'t> {
    namespace: &'t str,
    parts: Vec<Part<'t>>,
}

/// Maximum nesting, more than real types have, so that names in crafted files are cheap.
const MAX_NESTED: usize = 32;
const MAX_ARGUMENTS: usize = 100;

/// One type of a nested type's path.
#[derive(Clone, Debug)]
struct Part<'t> {
    /// Name without its number of type parameters.
    name: &'t str,
    /// Type arguments that this type adds, in C#.
    arguments: Vec<String>,
}

impl<'t> TypePath<'t> {
    /// Parses the type of a method event; `None` if that fails.
    pub fn parse(text: &'t str) -> Option<Self> {
        let mut scanner = Scanner::new(text);
        let path = scanner.path();
        let mut arguments = scanner.type_arguments(&Generics::default())?;
        scanner.is_at_end().then_some(())?;
        let count = arguments.len();
        for (index, argument) in arguments.iter_mut().enumerate().filter(|(_, argument)| *argument == SHARED) {
            *argument = parameter_name(index, count);
        }
        Self::assemble(path, arguments)
    }

    /// Splits a path such as ``Namespace.Outer`1+Inner`` and distributes the arguments to the types that declare them.
    /// Missing arguments get the names of type parameters.
    pub fn assemble(path: &'t str, mut arguments: Vec<String>) -> Option<Self> {
        let (namespace, types) = split_namespace(path);
        let pieces: Vec<(&str, usize)> = split_nested(types).into_iter().map(split_arity).collect();
        let declared = pieces.iter().fold(0_usize, |sum, (_, arity)| sum.saturating_add(*arity));
        if pieces.iter().any(|(name, _)| name.is_empty()) || pieces.len() > MAX_NESTED || declared > MAX_ARGUMENTS {
            return None;
        }
        arguments.extend((arguments.len()..declared).map(|index| parameter_name(index, declared)));
        let mut names = arguments.into_iter();
        let last = pieces.len() - 1;
        let part = |(index, (name, arity)): (usize, (&'t str, usize))| {
            let taken = if index == last && declared == 0 { usize::MAX } else { arity };
            Part { name, arguments: names.by_ref().take(taken).collect() }
        };
        Some(Self { namespace, parts: pieces.into_iter().enumerate().map(part).collect() })
    }

    /// Returns the method whose code this type contains, if the compiler generated it for an async method or iterator.
    pub fn state_machine(&self) -> Option<String> {
        match Generated::parse(self.parts.last()?.name)? {
            Generated::StateMachine(method) => Some(member::nested_name(method, &self.without_last().simple_name())),
            _ => None,
        }
    }

    /// Returns the enclosing type.
    pub fn without_last(&self) -> Self {
        Self { namespace: self.namespace, parts: self.parts[..self.parts.len().saturating_sub(1)].to_vec() }
    }

    /// Returns namespace, types and arguments.
    pub fn full(&self) -> String {
        let types = self.nested();
        let dot = if self.namespace.is_empty() || types.is_empty() { "" } else { "." };
        [self.namespace, dot, &types].concat()
    }

    /// Returns types and arguments, without the namespace.
    pub fn nested(&self) -> String {
        let mut text = String::new();
        for index in 0..self.parts.len() {
            let Some(name) = self.part_name(index) else { continue };
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(&name);
            text.push_str(&bracketed(&self.parts[index].arguments));
        }
        text
    }

    /// Returns the name of the innermost type as in source code, without arguments.
    pub fn simple_name(&self) -> String {
        (0..self.parts.len()).rev().find_map(|index| self.part_name(index)).unwrap_or_default()
    }

    /// Returns the dot before a member; empty if the type has no name.
    pub fn separator(&self) -> &'static str {
        if self.full().is_empty() { "" } else { "." }
    }

    /// Returns the arguments of the innermost type, in angle brackets.
    pub fn last_arguments(&self) -> String {
        self.parts.last().map_or_else(String::new, |part| bracketed(&part.arguments))
    }

    /// Returns all arguments in the order of signatures, and whether any visible type is generic.
    pub fn arguments_and_names(&self) -> (Vec<String>, bool) {
        let arguments: Vec<String> = self.parts.iter().flat_map(|part| part.arguments.clone()).collect();
        let shown = (0..self.parts.len())
            .any(|index| !self.parts[index].arguments.is_empty() && self.part_name(index).is_some());
        (arguments, shown)
    }

    /// Returns the name of one type in the source code; `None` for a closure.
    fn part_name(&self, index: usize) -> Option<String> {
        let part = self.parts.get(index)?;
        match Generated::parse(part.name) {
            Some(Generated::Closure) => None,
            Some(Generated::StateMachine(method)) => {
                let outer = Self { namespace: self.namespace, parts: self.parts[..index].to_vec() };
                Some(member::nested_name(method, &outer.simple_name()))
            }
            Some(Generated::Named(name)) => Some(name.to_owned()),
            _ => Some(part.name.to_owned()),
        }
    }
}

/// Returns the name of a type parameter whose argument is unknown.
fn parameter_name(index: usize, count: usize) -> String {
    if count == 1 { "T".to_owned() } else { format!("T{}", index + 1) }
}

/// Placeholder for a reference type in code that is shared by all reference types. Written by [`Scanner`].
pub(super) const SHARED: &str = "T";

fn bracketed(arguments: &[String]) -> String {
    if arguments.is_empty() { String::new() } else { format!("<{}>", arguments.join(", ")) }
}

/// Splits at the last dot before the name of the outermost type.
fn split_namespace(path: &str) -> (&str, &str) {
    let mut depth = 0;
    let mut split = None;
    for (position, character) in path.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            '.' if depth == 0 => split = Some(position),
            '+' | '/' if depth == 0 => break,
            _ => {}
        }
    }
    split.map_or(("", path), |position| (&path[..position], &path[position + 1..]))
}

/// Splits at the `+` between enclosing and nested types.
fn split_nested(types: &str) -> Vec<&str> {
    let mut depth = 0;
    let is_between = |character: char| {
        depth += i32::from(character == '<') - i32::from(character == '>');
        depth == 0 && matches!(character, '+' | '/')
    };
    types.split(is_between).collect()
}

/// Splits ``List`1`` into the name and the number of type parameters.
fn split_arity(name: &str) -> (&str, usize) {
    let split = name.rsplit_once('`').and_then(|(name, digits)| Some((name, digits.parse().ok()?)));
    split.unwrap_or((name, 0))
}
