//! The function table as comma-separated values (RFC 4180): what each function weighs with its callees and alone.

use super::StackExport;
use crate::analysis::function_weights::function_weights;
use crate::analysis::stack_tree::{StackTree, TopDown};
use crate::analysis::tree_query::call_tree;
use crate::protocol::request::FunctionOrder;
use std::io::{self, Write};

pub(super) fn write(export: &StackExport, output: &mut dyn Write) -> io::Result<()> {
    let unit = export.unit_words();
    let columns = ["Function", "Module", "Inclusive", "Exclusive", "Baseline inclusive", "Baseline exclusive"];
    let shown = if export.query.baseline.is_some() { columns.len() } else { 4 };
    for (index, name) in columns.into_iter().take(shown).enumerate() {
        let (comma, has_unit) = (if index > 0 { "," } else { "" }, index >= 2);
        output.write_all(comma.as_bytes())?;
        field(output, &if has_unit { format!("{name} ({unit})") } else { name.to_owned() })?;
    }
    output.write_all(b"\r\n")?;
    let tree = export.tree.clone().unwrap_or_else(|| {
        let tree = call_tree(&export.stacks, &export.nodes, export.chosen());
        TopDown::plain(export.nodes.clone(), tree.into())
    });
    for weight in function_weights(&tree, FunctionOrder::Exclusive) {
        field(output, export.function_name(Some(weight.function)))?;
        output.write_all(b",")?;
        field(output, export.module(weight.function))?;
        write!(output, ",{},{}", tree.value(weight.inclusive), tree.value(weight.exclusive))?;
        if export.query.baseline.is_some() {
            write!(output, ",{},{}", tree.value(weight.of_baseline.0), tree.value(weight.of_baseline.1))?;
        }
        output.write_all(b"\r\n")?;
    }
    Ok(())
}

/// A text, quoted if it needs to be. One that a spreadsheet would take for a formula is quoted behind an apostrophe.
fn field(output: &mut dyn Write, text: &str) -> io::Result<()> {
    let looks_like_a_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if !looks_like_a_formula && !text.contains([',', '"', '\n', '\r']) {
        return output.write_all(text.as_bytes());
    }
    let apostrophe = if looks_like_a_formula { "'" } else { "" };
    write!(output, "\"{apostrophe}{}\"", text.replace('"', "\"\""))
}
