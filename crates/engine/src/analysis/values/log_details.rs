//! Details of `ILogger`'s messages and scopes besides the text: template, arguments and exception, from fields of the
//! event (`Message`) or from JSON in a text (`MessageJson`).

use super::value_text::value_text;
use crate::model::EventType;
use nettrace::Value;

/// Name of the template in loggers' events.
const TEMPLATE: &str = "{OriginalFormat}";
/// Maximum number of a message's arguments.
const MAX_ARGUMENTS: usize = 64;

/// Details of a message or a scope.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Details {
    /// Names and values, without the template.
    pub arguments: Vec<(String, String)>,
    pub template: Option<String>,
    /// The exception's type and message.
    pub exception: Option<(String, String)>,
}

impl Details {
    /// Returns the arguments as text: the filled template, or else names and values.
    pub fn words(&self) -> String {
        match &self.template {
            Some(template) => filled_by(template, &self.arguments),
            None => {
                let pairs = self.arguments.iter().map(|(name, value)| [name.as_str(), value].join(" "));
                pairs.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// Reads a logger's event.
pub(crate) fn details(event_type: &EventType, values: &[Value]) -> Details {
    let mut found = Details::default();
    for (field, value) in event_type.schema.fields.iter().zip(values) {
        match (field.name.as_str(), value) {
            ("ArgumentsJson", Value::String(json)) => found.arguments = json_pairs(json),
            ("ExceptionJson", Value::String(json)) => found.exception = exception(json_pairs(json)),
            ("Arguments", Value::Array(elements)) => {
                found.arguments = elements.iter().take(MAX_ARGUMENTS).filter_map(pair).collect();
            }
            ("Exception", Value::Object(inner)) => {
                found.exception =
                    exception(inner.iter().map(|(name, value)| (name.clone(), value_text(value))).collect());
            }
            _ => {}
        }
    }
    if let Some(at) = found.arguments.iter().position(|(name, _)| name == TEMPLATE) {
        found.template = Some(found.arguments.swap_remove(at).1).filter(|template| !template.is_empty());
    }
    found
}

fn pair(element: &Value) -> Option<(String, String)> {
    let Value::Object(inner) = element else { return None };
    Some((value_text(&inner.first()?.1), value_text(&inner.get(1)?.1)))
}

fn exception(pairs: Vec<(String, String)>) -> Option<(String, String)> {
    let find = |name: &str| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.clone());
    let type_name = find("TypeName").filter(|name| !name.is_empty())?;
    Some((type_name, find("Message").unwrap_or_default()))
}

/// Returns a template filled with the values of its arguments.
pub(crate) fn filled_by(template: &str, arguments: &[(String, String)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, from)) = rest.split_once('{') {
        text.push_str(before);
        if let Some(after) = from.strip_prefix('{') {
            text.push('{');
            rest = after;
            continue;
        }
        let Some((inside, after)) = from.split_once('}') else {
            text.push('{');
            rest = from;
            break;
        };
        let name = inside.trim_start_matches(['@', '$']).split([':', ',']).next().unwrap_or_default();
        match arguments.iter().find(|argument| argument.0 == name) {
            Some((_, value)) => text.push_str(value),
            None => text.extend(["{", inside, "}"]),
        }
        rest = after;
    }
    (text + rest).replace("}}", "}")
}

/// Returns the names and values of a JSON object without nested objects; for invalid JSON, as far as it is readable.
fn json_pairs(json: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut rest = json.trim_start().strip_prefix('{').unwrap_or("");
    while pairs.len() < MAX_ARGUMENTS {
        let Some(name_at) = rest.find('"') else { break };
        let Some((name, after)) = json_text(&rest[name_at + 1..]) else { break };
        let Some(value) = after.trim_start().strip_prefix(':') else { break };
        let value = value.trim_start();
        let (value, after) = match value.strip_prefix('"') {
            Some(inside) => match json_text(inside) {
                Some(found) => found,
                None => break,
            },
            None => {
                let end = value.find([',', '}']).unwrap_or(value.len());
                (value[..end].trim_end().to_owned(), &value[end..])
            }
        };
        pairs.push((name, value));
        rest = after;
    }
    pairs
}

/// Returns the text up to the closing quote, and the rest.
fn json_text(text: &str) -> Option<(String, &str)> {
    let mut found = String::new();
    let mut units: Vec<u16> = Vec::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        let escaped = if character == '\\' { Some(characters.next()?.1) } else { None };
        if escaped == Some('u') {
            let digits: String = characters.by_ref().take(4).map(|(_, digit)| digit).collect();
            units.push(u16::from_str_radix(&digits, 16).ok()?);
            continue;
        }
        let of_units = char::decode_utf16(units.drain(..));
        found.extend(of_units.map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER)));
        match (character, escaped) {
            ('"', None) => return Some((found, &text[at + 1..])),
            (_, Some('n')) => found.push('\n'),
            (_, Some('t')) => found.push('\t'),
            (_, Some('r')) => found.push('\r'),
            (_, Some('b' | 'f')) => {}
            (_, Some(other)) => found.push(other),
            (other, None) => found.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(json: &str) -> Vec<(String, String)> {
        json_pairs(json)
    }

    #[test]
    fn truncated_json_is_read_up_to_its_end() {
        let owned =
            |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>();
        assert_eq!(
            pairs(r#"{"Id":"7","None":null,"Number": 1.5 , "Path":"C:\\a\u00e9\n\"b\""}"#),
            owned(&[("Id", "7"), ("None", "null"), ("Number", "1.5"), ("Path", "C:\\aé\n\"b\""),])
        );
        assert_eq!(pairs(r#"{"face":"\ud83d\ude00","half":"\ud83d"}"#), owned(&[("face", "😀"), ("half", "\u{fffd}")]));
        for broken in ["", "{", "{}", "null", "{\"a", "{\"a\"", "{\"a\":\"b", "{\"a\":\"\\u12"] {
            assert_eq!(pairs(broken), [], "{broken}");
        }
        assert_eq!(pairs(&format!("{{{}\"z\":\"1\"}}", "\"a\":\"1\",".repeat(1000))).len(), MAX_ARGUMENTS);
    }

    #[test]
    fn templates_are_filled_by_name() {
        let arguments = [("Id", "7"), ("Elapsed", "1.5")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let filled = |template: &str| filled_by(template, &arguments);
        assert_eq!(filled("Order {Id} took {Elapsed:0.0} ms, {@Id}"), "Order 7 took 1.5 ms, 7");
        assert_eq!(filled("{{Id}} {Nobody} {open"), "{Id} {Nobody} {open");
        let scope = Details { arguments: arguments.to_vec(), ..Details::default() };
        assert_eq!(scope.words(), "Id 7, Elapsed 1.5");
    }
}
