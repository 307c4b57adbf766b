//! Converts types in the runtime's notation, in signatures and type arguments, to C#.

use super::csharp;
use super::type_path::{SHARED, TypePath};

/// Meaning of the type parameters `!0` (of the class) and `!!0` (of the method).
#[derive(Clone, Copy, Default)]
pub(super) struct Generics<'t> {
    /// Arguments of the class.
    pub class: &'t [String],
    /// Number of type parameters of the method.
    pub method: usize,
    /// True if the class has visible type parameters, so that those of the method need other names.
    pub is_class_generic: bool,
}

impl Generics<'_> {
    fn class_parameter(&self, index: usize) -> String {
        self.class.get(index).cloned().unwrap_or_else(|| format!("T{}", index + 1))
    }

    fn method_parameter(&self, index: usize) -> String {
        let letter = if self.is_class_generic { 'U' } else { 'T' };
        if self.method <= 1 { letter.to_string() } else { format!("{letter}{}", index + 1) }
    }

    /// Returns the method's type parameters in angle brackets.
    pub fn method_list(&self) -> String {
        let names: Vec<String> = (0..self.method).map(|index| self.method_parameter(index)).collect();
        if names.is_empty() { String::new() } else { format!("<{}>", names.join(", ")) }
    }
}

/// Returns the minimum number of a method's type parameters, judging by its signature.
pub(super) fn method_parameter_count(returned: &str, parameters: &str) -> usize {
    const MAX: usize = 16;
    let least = usize::from(returned.split_whitespace().any(|word| word == "generic"));
    let used = [returned, parameters].into_iter().flat_map(|text| text.split("!!").skip(1));
    let numbers = used.filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok());
    numbers.map(|index| index.saturating_add(1)).fold(least, usize::max).min(MAX)
}

/// Returns the parameters of `(A,B)` without compiler-generated ones; `None` if the text can't be parsed. Empty for an
/// empty text.
pub(super) fn parameters(text: &str, generics: &Generics<'_>) -> Option<Vec<String>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let mut scanner = Scanner::new(text);
    let mut list = scanner.list('(', ')', generics, Scanner::type_name)?;
    list.retain(|parameter| parameter.trim_start_matches("ref ") != CLOSURE);
    scanner.is_at_end().then_some(list)
}

/// Type of captured variables, which the compiler passes as a parameter.
const CLOSURE: &str = "closure";

/// Scanner of types.
pub(super) struct Scanner<'t> {
    rest: &'t str,
    depth: usize,
}

/// Maximum nesting, more than real types have.
const DEEPEST: usize = 40;

impl<'t> Scanner<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { rest: text, depth: 0 }
    }

    /// Returns whether the whole text was read.
    pub fn is_at_end(&self) -> bool {
        self.rest.trim().is_empty()
    }

    /// Reads a type in the notation of signatures (`value class System.Span`1<int32>&`) or type arguments
    /// (`System.Span`1[System.Int32]`).
    pub fn type_name(&mut self, generics: &Generics<'_>) -> Option<String> {
        self.depth += 1;
        let name = if self.depth > DEEPEST { None } else { self.prefixed_type(generics) };
        self.depth -= 1;
        name
    }

    /// Reads a type in C# notation: type arguments in angle brackets, without their number.
    pub fn source_type_name(&mut self, generics: &Generics<'_>) -> Option<String> {
        self.depth += 1;
        let is_end = |character: char| matches!(character, '<' | '>' | ',' | '[');
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (path, rest) = self.rest.split_at(end);
        self.rest = rest;
        let arguments = match rest.starts_with('<') && self.depth <= DEEPEST {
            true => self.list('<', '>', generics, Scanner::source_type_name)?,
            false => Vec::new(),
        };
        self.depth -= 1;
        let name = self.suffixed(assembled(path.trim(), arguments)?);
        Some(name)
    }

    fn prefixed_type(&mut self, generics: &Generics<'_>) -> Option<String> {
        let mut is_input = false;
        while let Some(modifier) = self.modifier() {
            is_input |= modifier.ends_with("InAttribute");
        }
        let name = self.unmodified_type(generics)?;
        let name = self.suffixed(name);
        Some(match name.strip_prefix("ref ") {
            Some(target) if is_input => format!("in {target}"),
            _ => name,
        })
    }

    fn unmodified_type(&mut self, generics: &Generics<'_>) -> Option<String> {
        if let Some(rest) = self.rest.strip_prefix("!!") {
            self.rest = rest;
            return Some(generics.method_parameter(self.index()?));
        }
        if let Some(rest) = self.rest.strip_prefix('!') {
            self.rest = rest;
            return Some(generics.class_parameter(self.index()?));
        }
        if let Some(rest) = self.rest.strip_prefix("fnptr ") {
            self.rest = rest;
            return self.function_pointer(generics);
        }
        if self.rest.starts_with("pMT:") {
            self.skip_parameter()?;
            return Some("?".to_owned());
        }
        let path = self.path();
        if let Some(keyword) = csharp::type_keyword(path) {
            return Some(keyword.to_owned());
        }
        let arguments = self.type_arguments(generics)?;
        assembled(path, arguments)
    }

    /// Reads the rest of a function pointer: `RETURN(PARAMETERS)`.
    fn function_pointer(&mut self, generics: &Generics<'_>) -> Option<String> {
        let returned = self.type_name(generics)?;
        let mut types = self.list('(', ')', generics, Self::type_name)?;
        types.push(returned);
        Some(format!("delegate*<{}>", types.join(", ")))
    }

    /// Skips one irrelevant word before a type. Returns the type that a modifier names.
    fn modifier(&mut self) -> Option<&'t str> {
        self.skip_blank();
        for word in ["class ", "value class ", "valuetype ", "pinned "] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Some("");
            }
        }
        for word in ["required_modifier ", "optional_modifier "] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                let (name, rest) = rest.split_once(' ')?;
                self.rest = rest;
                return Some(name);
            }
        }
        // Module of a type: [System.Runtime]System.String.
        let (module, rest) = self.rest.strip_prefix('[')?.split_once(']')?;
        self.rest = rest;
        (!module.contains(',')).then_some("")
    }

    /// Reads the path of a type, up to its arguments or other text.
    pub fn path(&mut self) -> &'t str {
        for phrase in ["unsigned ", "native unsigned ", "native "] {
            if let Some(rest) = self.rest.strip_prefix(phrase) {
                let end = rest.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(rest.len());
                return self.take(phrase.len() + end);
            }
        }
        let mut depth = 0_i32;
        let mut is_inside_name = false;
        let end = self.rest.char_indices().find(|&(_, character)| {
            // A bracket at the start of a name belongs to it: the name is compiler-generated.
            let is_argument_list = character == '<' && depth == 0 && is_inside_name;
            is_inside_name = !matches!(character, '.' | '+' | '/' | '<' | '>');
            depth += i32::from(character == '<') - i32::from(character == '>');
            is_argument_list || depth < 0 || (depth == 0 && ends_path(character))
        });
        self.take(end.map_or(self.rest.len(), |(position, _)| position))
    }

    /// Reads the arguments of the type whose path was just read; empty if there are none.
    pub fn type_arguments(&mut self, generics: &Generics<'_>) -> Option<Vec<String>> {
        let mut characters = self.rest.chars();
        match (characters.next(), characters.next()) {
            (Some('<'), _) => self.list('<', '>', generics, Self::type_name),
            (Some('['), Some(']' | ',' | '*' | '0'..='9')) => Some(Vec::new()),
            (Some('['), _) => self.list('[', ']', generics, Self::type_name),
            _ => Some(Vec::new()),
        }
    }

    /// Reads the suffixes of a type: arrays, pointers, references.
    fn suffixed(&mut self, mut name: String) -> String {
        let mut is_reference = false;
        loop {
            self.skip_blank();
            if let Some(rest) = self.rest.strip_prefix('*') {
                self.rest = rest;
                name.push('*');
            } else if let Some(rest) = self.rest.strip_prefix('&') {
                self.rest = rest;
                is_reference = true;
            } else if let Some(rest) = self.rest.strip_prefix("pinned") {
                self.rest = rest;
            } else if let Some((dimensions, rest)) = array(self.rest) {
                self.rest = rest;
                name = format!("{name}[{}]", ",".repeat(dimensions - 1));
            } else {
                return if is_reference { format!("ref {name}") } else { name };
            }
        }
    }

    /// Reads types between two brackets, separated by commas.
    fn list(
        &mut self,
        open: char,
        close: char,
        generics: &Generics<'_>,
        item: fn(&mut Self, &Generics<'_>) -> Option<String>,
    ) -> Option<Vec<String>> {
        let mut items = Vec::new();
        self.rest = self.rest.strip_prefix(open)?;
        self.skip_blank();
        if let Some(rest) = self.rest.strip_prefix(close) {
            self.rest = rest;
            return Some(items);
        }
        loop {
            items.push(item(self, generics)?);
            self.skip_blank();
            if let Some(rest) = self.rest.strip_prefix(close) {
                self.rest = rest;
                return Some(items);
            }
            self.rest = self.rest.strip_prefix(',')?;
            self.skip_blank();
        }
    }

    fn index(&mut self) -> Option<usize> {
        let end = self.rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(self.rest.len());
        self.take(end).parse().ok()
    }

    /// Skips to the comma or bracket that ends the current parameter.
    fn skip_parameter(&mut self) -> Option<()> {
        let mut depth = 0_i32;
        let end = self.rest.char_indices().find(|&(_, character)| {
            depth += i32::from(matches!(character, '(' | '<' | '[')) - i32::from(matches!(character, ')' | '>' | ']'));
            depth < 0 || (depth == 0 && character == ',')
        });
        self.take(end?.0);
        Some(())
    }

    /// Skips spaces and comments such as `/* MT: 0x00007FB456C36168 */`.
    fn skip_blank(&mut self) {
        self.rest = self.rest.trim_start();
        while let Some((_, rest)) = self.rest.strip_prefix("/*").and_then(|rest| rest.split_once("*/")) {
            self.rest = rest.trim_start();
        }
    }

    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }
}

fn ends_path(character: char) -> bool {
    matches!(character, '[' | ']' | ',' | '(' | ')' | '&' | '*' | ' ')
}

/// Returns the number of dimensions of `[]`, `[,]` or `[0...,0...]`, and the rest.
fn array(text: &str) -> Option<(usize, &str)> {
    let (inside, rest) = text.strip_prefix('[')?.split_once(']')?;
    let is_bounds = inside.chars().all(|character| matches!(character, ',' | '.' | '*' | '0'..='9'));
    is_bounds.then(|| (inside.matches(',').count() + 1, rest))
}

/// Returns a type from its path and arguments, without namespace.
fn assembled(path: &str, arguments: Vec<String>) -> Option<String> {
    match (path, arguments.as_slice()) {
        ("", _) => None,
        ("System.__Canon", []) => Some(SHARED.to_owned()),
        ("System.Nullable`1" | "System.Nullable", [argument]) => Some(format!("{argument}?")),
        (tuple, [_, _, ..]) if tuple.starts_with("System.ValueTuple") && !tuple.contains(['+', '/']) => {
            Some(format!("({})", arguments.join(", ")))
        }
        (path, []) if csharp::type_keyword(path).is_some() => csharp::type_keyword(path).map(str::to_owned),
        (path, _) => {
            let name = TypePath::assemble(path, arguments)?.nested();
            Some(if name.is_empty() { CLOSURE.to_owned() } else { name })
        }
    }
}
