//! Names of numeric values.

use super::table::Values;
use super::{layout, table};
use crate::clr::provider::Provider;
use nettrace::Value;

/// Returns the meaning of a field's value, if it is an enumeration or flags, such as `Induced` for the reason of a GC.
pub fn describe(provider: &str, event_id: u32, field: &str, value: &Value) -> Option<String> {
    let number = match *value {
        Value::UInt(number, _) => number,
        Value::Int(number, _) => u64::try_from(number).ok()?,
        _ => return None,
    };
    let values = values_of(provider, event_id, field)?;
    if values.is_flags { flag_names(values.lines, number) } else { value_name(values.lines, number) }
}

fn values_of(provider: &str, event_id: u32, field: &str) -> Option<Values> {
    let event = table::event(Provider::from_name(provider)?, event_id)?;
    table::values(layout::values_of(table::layout_of(event), field)?)
}

/// Returns the names of a field's values, if it is an enumeration or flags, and whether it is flags: [`describe`] joins
/// these with commas, after them the unnamed bits as a hexadecimal number.
pub fn named_values(
    provider: &str,
    event_id: u32,
    field: &str,
) -> Option<(bool, impl Iterator<Item = &'static str> + use<>)> {
    let values = values_of(provider, event_id, field)?;
    Some((values.is_flags, texts(values.lines).map(|(_, text)| text)))
}

/// Returns the names of the keywords in a set; bits without a name as hexadecimal numbers.
///
/// Bits 44–47 are excluded: `EventSource` uses them to mark sessions.
pub fn keyword_names(provider: &str, bits: u64) -> Vec<String> {
    const SESSIONS: u64 = 0xf << 44;
    let mut rest = bits & !SESSIONS;
    let mut names = Vec::new();
    if let Some(provider) = Provider::from_name(provider) {
        for (keyword, name) in table::keywords(provider).filter(|(keyword, _)| bits & keyword != 0) {
            names.push(name.to_owned());
            rest &= !keyword;
        }
    }
    let unnamed = (0..u64::BITS).map(|bit| rest & (1 << bit)).filter(|bit| *bit != 0);
    names.extend(unnamed.map(|bit| format!("{bit:#x}")));
    names
}

/// Returns the name of a standard opcode. Other opcodes are named by their event.
pub fn opcode_name(opcode: u8) -> Option<&'static str> {
    Some(match opcode {
        0 => "Info",
        1 => "Start",
        2 => "Stop",
        3 => "DataCollectionStart",
        4 => "DataCollectionStop",
        5 => "Extension",
        6 => "Reply",
        7 => "Resume",
        8 => "Suspend",
        9 => "Send",
        240 => "Receive",
        _ => return None,
    })
}

pub fn level_name(level: u8) -> Option<&'static str> {
    ["LogAlways", "Critical", "Error", "Warning", "Informational", "Verbose"].get(usize::from(level)).copied()
}

/// Returns the values of an `enum` or `flags` with their names.
fn texts(lines: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    lines.lines().filter_map(|line| line.trim_start().split_once(' '))
}

fn value_name(lines: &'static str, number: u64) -> Option<String> {
    texts(lines).find(|(value, _)| table::number(value) == Some(number)).map(|(_, text)| text.to_owned())
}

fn flag_names(lines: &'static str, number: u64) -> Option<String> {
    let mut rest = number;
    let mut names = Vec::new();
    for (value, text) in texts(lines) {
        let (mask, bits) = value.split_once('=').unwrap_or((value, value));
        let (Some(mask), Some(bits)) = (table::number(mask), table::number(bits)) else { continue };
        if number & mask == bits {
            names.push(text.to_owned());
            rest &= !mask;
        }
    }
    if rest != 0 {
        names.push(format!("{rest:#x}"));
    }
    (!names.is_empty()).then(|| names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";

    fn described(event_id: u32, field: &str, number: u64) -> Option<String> {
        describe(RUNTIME, event_id, field, &Value::UInt(number, 32))
    }

    #[test]
    fn enumeration_values_have_names() {
        assert_eq!(described(1, "Reason", 1).as_deref(), Some("Induced"));
        assert_eq!(described(1, "Type", 2).as_deref(), Some("Foreground, during a background GC"));
        assert_eq!(described(55, "Reason", 6).as_deref(), Some("Starvation"));
        assert_eq!(described(16, "GCRootKind", 2).as_deref(), Some("Handle"), "inside a structure");
        assert_eq!(described(1, "Reason", 99), None);
        assert_eq!(described(1, "Count", 1), None, "a count is just a count");
    }

    #[test]
    fn flags_list_names_and_unknown_bits() {
        assert_eq!(described(143, "MethodFlags", 0x208).as_deref(), Some("Jitted, Tier 1"));
        assert_eq!(described(144, "MethodFlags", 0x8).as_deref(), Some("Jitted"));
        assert_eq!(described(85, "Flags", 6).as_deref(), Some("Finalizer, Thread pool worker"));
        assert_eq!(described(85, "Flags", 0x42).as_deref(), Some("Finalizer, 0x40"));
        assert_eq!(described(85, "Flags", 0), None);
    }

    #[test]
    fn keyword_names_exclude_session_bits() {
        assert_eq!(keyword_names(RUNTIME, 0x8000_0001_0011), ["GC", "Jit", "Threading"]);
        assert_eq!(keyword_names("System.Threading.Tasks.TplEventSource", 0xf000_0000_0003), ["TaskTransfer", "Tasks"]);
        assert_eq!(keyword_names("Example.Orders", 0x21), ["0x1", "0x20"]);
    }
}
