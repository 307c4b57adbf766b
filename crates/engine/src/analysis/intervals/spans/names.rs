//! Names of spans.

use super::roles::Naming;
use nettrace::{Field, Value};

/// Fields of requests, in display order.
const REQUEST_FIELDS: [&str; 4] = ["method", "host", "path", "pathAndQuery"];

/// Returns the name of a span from its start event's values; `None` if it has the name of its group.
pub(crate) fn name_of(naming: Naming, base: &str, fields: &[Field], values: &[Value]) -> Option<String> {
    let number = |name: &str| {
        let at = fields.iter().position(|field| field.name.eq_ignore_ascii_case(name))?;
        match values.get(at)? {
            Value::UInt(number, _) => Some(number.to_string()),
            Value::Int(number, _) => Some(number.to_string()),
            _ => None,
        }
    };
    let name = match naming {
        Naming::Group | Naming::AsyncMethod => None,
        Naming::Request => Some(request(fields, values)),
        Naming::Field(field) => match values.get(field)? {
            Value::String(text) => Some(text.strip_suffix(".Start").unwrap_or(text).to_owned()),
            _ => None,
        },
        Naming::Handler => {
            let method = fields.iter().zip(values).find(|(field, _)| field.name == "MethodName")?;
            match method.1 {
                Value::String(method) => Some([base, " in ", short_method(method)].concat()),
                _ => None,
            }
        }
        Naming::Gc => number("Count").map(|number| [base, " #", &number].concat()),
        Naming::Task => number("TaskID").map(|number| [base, " ", &number].concat()),
    };
    name.filter(|name| !name.is_empty())
}

fn request(fields: &[Field], values: &[Value]) -> String {
    let mut name = String::new();
    for (field, value) in fields.iter().zip(values) {
        if let (true, Value::String(text)) = (REQUEST_FIELDS.contains(&field.name.as_str()), value) {
            let is_method = field.name == "method";
            match is_method && !name.is_empty() {
                // The method may come after the path.
                true => name.insert_str(0, &[text.as_str(), " "].concat()),
                false => {
                    name.push_str(text);
                    name.push_str(if is_method { " " } else { "" });
                }
            }
        }
    }
    name
}

/// Returns the name in "void Shop.Orders.Place(int32)" without parameters and return type.
fn short_method(method: &str) -> &str {
    let method = method.split('(').next().unwrap_or(method).trim_end();
    method.rsplit(' ').next().unwrap_or(method)
}

/// Returns the method's name in the source for "Async: <SendAsync>d__6": "SendAsync".
pub(crate) fn async_method(operation: &str) -> String {
    let name = operation.strip_prefix("Async: ").unwrap_or(operation);
    let written = name.rsplit_once('<').and_then(|(_, rest)| rest.split_once('>'));
    written.map_or(name, |(method, _)| method).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettrace::FieldType;

    fn named(naming: Naming, values: &[(&str, &str)]) -> Option<String> {
        let fields: Vec<Field> = values.iter().map(|(name, _)| Field::new(*name, FieldType::Utf16String)).collect();
        let values: Vec<Value> = values.iter().map(|(_, value)| Value::String((*value).to_owned())).collect();
        name_of(naming, "catch", &fields, &values)
    }

    #[test]
    fn span_names_match_source_code() {
        let request = [("path", "/orders/7"), ("method", "GET")];
        assert_eq!(named(Naming::Request, &request).as_deref(), Some("GET /orders/7"));
        assert_eq!(named(Naming::Request, &[("version", "1")]), None);
        assert_eq!(named(Naming::Field(0), &[("EventName", "Shop.In.Start")]).as_deref(), Some("Shop.In"));
        let handler = [("MethodName", "void Shop.Orders.Place(int32, string)")];
        assert_eq!(named(Naming::Handler, &handler).as_deref(), Some("catch in Shop.Orders.Place"));
        assert_eq!(async_method("Async: <SendAsync>d__6"), "SendAsync");
        assert_eq!(async_method("Task.WhenAll"), "Task.WhenAll");
    }
}
