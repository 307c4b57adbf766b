//! The function table as comma-separated values (RFC 4180): what each function weighs with its callees and alone.

use super::StackExport;
use crate::analysis::function_weights::function_weights;
use crate::analysis::tree_query::call_tree;
use crate::protocol::request::FunctionOrder;
use std::io::{self, Write};

pub(super) fn write(export: &StackExport, output: &mut dyn Write) -> io::Result<()> {
    let (session, unit) = (export.session, export.unit_words());
    for (index, name) in ["Function", "Module", "Inclusive", "Exclusive"].into_iter().enumerate() {
        let (comma, has_unit) = (if index > 0 { "," } else { "" }, index >= 2);
        output.write_all(comma.as_bytes())?;
        field(output, &if has_unit { format!("{name} ({unit})") } else { name.to_owned() })?;
    }
    output.write_all(b"\r\n")?;
    let tree = call_tree(&export.stacks, session.nodes(), export.chosen());
    for weight in function_weights(session.nodes(), &tree, FunctionOrder::Exclusive) {
        field(output, export.function_name(Some(weight.function)))?;
        output.write_all(b",")?;
        field(output, export.module(weight.function))?;
        write!(output, ",{},{}\r\n", export.value(weight.inclusive), export.value(weight.exclusive))?;
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
