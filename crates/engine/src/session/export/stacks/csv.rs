//! Function table as comma-separated values (RFC 4180): inclusive and exclusive weight, number of stacks, and times of
//! the first and last stack.

use super::StackExport;
use crate::analysis::stacks::function_weights::function_weights;
use crate::analysis::stacks::occurrences::Occurrence;
use crate::analysis::stacks::stack_tree::{StackTree, TopDown};
use crate::analysis::stacks::tree_query::call_tree;
use crate::session::answers::function_table::occurrence_of;
use protocol::format::escaped;
use protocol::request::FunctionOrder;
use std::io::{self, Write};

pub(super) fn write(export: &StackExport, output: &mut dyn Write) -> io::Result<()> {
    let (unit, is_compared) = (export.unit_words(), export.query.baseline.is_some());
    let mut columns = vec!["Function".to_owned(), "Module".to_owned(), "Tier".to_owned()];
    columns.extend(["Inclusive", "Exclusive"].map(|name| format!("{name} ({unit})")));
    if is_compared {
        columns.extend(["Baseline inclusive", "Baseline exclusive"].map(|name| format!("{name} ({unit})")));
    }
    columns.extend(["Stacks", "First (ns)", "Last (ns)"].map(str::to_owned));
    for (index, name) in columns.iter().enumerate() {
        output.write_all(if index > 0 { b"," } else { b"" })?;
        field(output, name)?;
    }
    output.write_all(b"\r\n")?;
    let tree = export.tree.clone().unwrap_or_else(|| {
        let tree = call_tree(&export.stacks, &export.nodes, export.chosen());
        TopDown::plain(export.nodes.clone(), tree.into()).with_no_stack(export.frames.no_stack())
    });
    for weight in function_weights(&tree, FunctionOrder::Exclusive) {
        field(output, export.function_name(Some(weight.function)))?;
        output.write_all(b",")?;
        field(output, export.module(weight.function))?;
        output.write_all(b",")?;
        field(output, &export.frames.tier_words(Some(weight.function)))?;
        write!(output, ",{},{}", tree.value(weight.inclusive), tree.value(weight.exclusive))?;
        if is_compared {
            write!(output, ",{},{}", tree.value(weight.of_baseline.0), tree.value(weight.of_baseline.1))?;
        }
        match occurrence_of(&export.occurrences, weight.function) {
            Occurrence { stacks: 0, .. } => output.write_all(b",0,,\r\n")?,
            Occurrence { stacks, first, last } => write!(output, ",{stacks},{first},{last}\r\n")?,
        }
    }
    Ok(())
}

/// Writes a name, quoted if necessary. A name that spreadsheets would interpret as a formula is quoted with an
/// apostrophe. Control characters are escaped, because the table may be printed to a terminal.
fn field(output: &mut dyn Write, text: &str) -> io::Result<()> {
    let text = &*escaped(text);
    let looks_like_a_formula = text.starts_with(['=', '+', '-', '@']);
    if !looks_like_a_formula && !text.contains([',', '"']) {
        return output.write_all(text.as_bytes());
    }
    let apostrophe = if looks_like_a_formula { "'" } else { "" };
    write!(output, "\"{apostrophe}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_escaped() {
        for (name, expected) in [
            ("App!Main()", "App!Main()"),
            ("Map<A,B>", "\"Map<A,B>\""),
            ("=1+1", "\"'=1+1\""),
            ("\u{1b}[31mRed\n", "\\u{1b}[31mRed\\n"),
        ] {
            let mut text = Vec::new();
            field(&mut text, name).expect("memory");
            assert_eq!(String::from_utf8_lossy(&text), expected);
        }
    }
}
