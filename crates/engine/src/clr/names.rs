//! Names of methods, types and modules, in the runtime's notation and as C#.

mod csharp;
mod generated;
mod member;
mod modules;
mod perf_map;
mod perf_map_file;
mod rust_symbol;
mod type_path;
mod type_text;

pub use modules::{is_assembly, is_dynamic, is_framework, is_generated_for_dotnet, module_name};
pub use perf_map::PerfMapSymbol;
pub use perf_map_file::{PerfMapLine, perf_map_lines, perf_map_process};

use type_path::TypePath;
use type_text::{Generics, Scanner};

/// Name of a method in C#.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ReadableName {
    /// Namespace, types, method and parameters: `Orders.Pricing.Calculate(List<Order>)`.
    pub full: String,
    /// Innermost type and method: `Pricing.Calculate`.
    pub short: String,
}

/// Returns the name in the notation of other tools: namespace and name of the type, a dot, the name of the method, and
/// its signature from the parenthesis on (docs/format/symbols.md#function-names).
pub fn raw_name(type_name: &str, method_name: &str, signature: &str) -> String {
    let parameters = signature.find('(').map_or("", |start| &signature[start..]);
    let dot = if type_name.is_empty() { "" } else { "." };
    [type_name, dot, method_name, parameters].concat()
}

/// Returns the name in C#. Compiler-generated code of lambdas, local functions, iterators and async methods gets the
/// name of the method that contains them.
///
/// The arguments are texts of a method event: `type_name` with its namespace (`Orders.Basket+<>c`), `method_name`
/// (`<Total>b__2_0`), and `signature` (`instance int32  (class Orders.Item)`). Text that can't be parsed stays
/// unchanged.
pub fn readable(type_name: &str, method_name: &str, signature: &str) -> ReadableName {
    let (returned, parameters) = signature.split_at(signature.find('(').unwrap_or(signature.len()));
    if matches!(type_name, "" | "dynamicClass") {
        return free_function(method_name, parameters);
    }
    let Some(path) = TypePath::parse(type_name) else { return plain(type_name, method_name, parameters) };
    let state_machine = path.state_machine().filter(|_| method_name == "MoveNext");
    match state_machine {
        Some(body) => state_machine_body(&path, &body, returned),
        None => method(&path, method_name, returned, parameters),
    }
}

/// Returns the readable name of code without a type: a method generated at run time, or a native symbol.
fn free_function(name: &str, parameters: &str) -> ReadableName {
    let short = member::stub_name(name);
    let generics = Generics::default();
    let list = type_text::parameters(parameters, &generics);
    ReadableName { full: short.clone() + &parenthesized(list, parameters), short }
}

/// Returns the readable name of native code.
pub fn readable_symbol(symbol: &str) -> String {
    rust_symbol::readable_rust(symbol).unwrap_or_else(|| symbol.to_owned())
}

/// Returns the readable name of a method whose type can't be parsed.
fn plain(type_name: &str, method_name: &str, parameters: &str) -> ReadableName {
    ReadableName { full: raw_name(type_name, method_name, parameters), short: raw_name(type_name, method_name, "") }
}

/// Returns the name of an async method or iterator, whose code is in a compiler-generated type.
fn state_machine_body(path: &TypePath<'_>, body: &str, returned: &str) -> ReadableName {
    let kind = if returned.split_whitespace().last() == Some("bool") { "iterator" } else { "async" };
    let outer = path.without_last();
    let method = format!("{body}{} ({kind})", path.last_arguments());
    ReadableName {
        full: format!("{}{}{method}", outer.full(), outer.separator()),
        short: format!("{}{}{body} ({kind})", outer.simple_name(), outer.separator()),
    }
}

fn method(path: &TypePath<'_>, method_name: &str, returned: &str, parameters: &str) -> ReadableName {
    let (class_arguments, class_names) = path.arguments_and_names();
    let generics = Generics {
        class: &class_arguments,
        method: type_text::method_parameter_count(returned, parameters),
        is_class_generic: class_names,
    };
    let list = type_text::parameters(parameters, &generics);
    let type_simple = path.simple_name();
    let member = member::Member::new(method_name, &type_simple);
    let tail = match (&list, member.accessor) {
        (Some(list), Some(accessor)) => accessor.tail(list),
        _ => generics.method_list() + &parenthesized(list, parameters),
    };
    let dot = path.separator();
    ReadableName {
        full: format!("{}{dot}{}{tail}", path.full(), member.name),
        short: format!("{type_simple}{dot}{}{}", member.name, member.accessor.map_or("", |accessor| accessor.suffix())),
    }
}

/// Returns the parameters in parentheses, or the original text if it can't be parsed.
fn parenthesized(list: Option<Vec<String>>, original: &str) -> String {
    match list {
        Some(_) if original.is_empty() => String::new(),
        Some(list) => format!("({})", list.join(", ")),
        None => original.to_owned(),
    }
}

/// Returns the name of a type in C#, without namespace: `Dictionary<string, int>` for
/// ``System.Collections.Generic.Dictionary`2[System.String,System.Int32]``.
pub fn readable_type(name: &str) -> String {
    let mut scanner = Scanner::new(name);
    let generics = Generics::default();
    scanner.type_name(&generics).filter(|_| scanner.is_at_end()).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of `Type::Method(signature) => full name => short name`, with an optional return type and a space before
    /// the type.
    const EXAMPLES: &str = include_str!("names/examples.txt");

    #[test]
    fn recorded_names_become_readable() {
        let mut count = 0;
        let mut wrong = Vec::new();
        for line in EXAMPLES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let parts: Vec<&str> = line.split(" => ").collect();
            let &[raw, full, short] = parts.as_slice() else { panic!("{line}") };
            let (returned, raw) = raw.split_once(" | ").unwrap_or(("", raw));
            let (type_name, method) = raw.split_once("::").expect(line);
            let (name, parameters) = method.split_at(method.find('(').expect(line));
            let name = readable(type_name, name, &format!("{returned} {parameters}"));
            if (name.full.as_str(), name.short.as_str()) != (full, short) {
                wrong.push(format!("{raw}\n    {}\n    {}", name.full, name.short));
            }
            count += 1;
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(count >= 150, "{count}");
    }

    #[test]
    fn raw_names_match_other_tools() {
        let signature = "instance void  (class System.String,int32)";
        assert_eq!(raw_name("Orders.Basket", "Add", signature), "Orders.Basket.Add(class System.String,int32)");
        assert_eq!(raw_name("", "main", ""), "main");
    }

    #[test]
    fn invalid_names_are_unchanged() {
        for strange in ["", "<", "a`", "+", "x[", "A`9[", "<<<>", "!!", "A`1[B", "..", "A+"] {
            let name = readable(strange, strange, strange);
            assert!(name.full.len() < 100, "{name:?}");
            assert_eq!(
                readable("Orders.Basket", "Add", &format!("({strange}(")).full,
                format!("Orders.Basket.Add({strange}(")
            );
        }
        let deep = "A`1[".repeat(10_000);
        assert_eq!(readable(&deep, "M", "()").full, format!("{deep}.M()"));
    }

    #[test]
    fn readable_types_have_no_namespaces() {
        assert_eq!(readable_type("System.Collections.Generic.List`1[System.Byte[]]"), "List<byte[]>");
        assert_eq!(readable_type("Orders.Basket+Line[,]"), "Basket.Line[,]");
        assert_eq!(readable_type("System.Int32"), "int");
        assert_eq!(readable_type("not a type"), "not a type");
    }

    proptest::proptest! {
        #[test]
        fn damaged_names_never_panic(
            type_name in "[A-Z`0-9<>+./,*& !\\[\\]éb_d]{0,60}",
            method_name in "[a-z<>.|_0-9bgd$]{0,40}",
            parameters in "[(]?[a-z!<>,()&*`0-9 \\[\\]é/]{0,60}",
        ) {
            readable(&type_name, &method_name, &parameters);
            readable_type(&type_name);
            PerfMapSymbol::parse(&format!("{parameters} [{method_name}] {type_name}::{method_name}({parameters}"));
        }
    }
}
