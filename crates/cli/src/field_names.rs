//! Checks the keys, payload fields and labels in arguments against the trace.

use super::Stop;
use super::arguments::misuse;
use super::text::listed;
use engine::session::Session;
use protocol::Failure;
use protocol::events::columns::Column;
use protocol::filter::{Comparison, Condition, Pattern, Query, keys, parse};
use protocol::queries;
use protocol::request::{EventColumn, Filter, Measure};
use protocol::tables::FieldNames;

/// Stops the command if a filter names an unknown key, or a payload field or label that no event of the trace has.
pub(super) fn check_filter(session: &mut Session, filter: &Filter) -> Result<(), Stop> {
    let mut conditions = Vec::new();
    collect(parse(&filter.query).unwrap_or_default(), &mut conditions);
    for condition in conditions {
        match condition {
            Condition::Text(Pattern::Text(text)) if !filter.query.contains(&format!("\"{text}")) => {
                if let Some(key) = unknown_key(&text) {
                    let keys: Vec<&str> = keys().map(|(key, ..)| key).collect();
                    return Err(misuse(format_args!(
                        "“{key}” isn't a filter key ({}). For a payload field, write “payload.{text}”. To search for \
                         the text, quote it: \"{text}\".",
                        keys.join(", ")
                    )));
                }
            }
            Condition::Payload(name, _) if !has_field(session, &name)? => {
                let fields = names(session, &Filter::default(), |_| true)?;
                let message = format!("no event in this trace has a payload field “{name}”");
                return Err(unknown(&message, "Payload fields", &name, fields));
            }
            Condition::Label(name, _) => {
                let labels = labels(session);
                if !labels.iter().any(|label| label.eq_ignore_ascii_case(&name)) {
                    let message = format!("no event in this trace has a label “{name}”");
                    return Err(unknown(&message, "Labels", &name, labels));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Stops the command if events can't be grouped by this column because no event has the field.
pub(super) fn check_key(session: &mut Session, filter: &Filter, key: &EventColumn) -> Result<(), Stop> {
    let EventColumn::Field(name) = key else { return Ok(()) };
    if names(session, &Filter::default(), |_| true)?.contains(name) {
        return Ok(());
    }
    let keys: Vec<&str> = Column::groupable().map(|column| column.key).collect();
    let message = format!("can't group by “{name}”: use {} or a payload field", keys.join(", "));
    Err(unknown(&message, "Payload fields", name, names(session, filter, |_| true)?))
}

/// Stops the command if no event has the numeric field to sum.
pub(super) fn check_measure(session: &mut Session, filter: &Filter, measure: &Measure) -> Result<(), Stop> {
    let Measure::Field(name) = measure else { return Ok(()) };
    let is_number = |is_number| is_number;
    if names(session, &Filter::default(), is_number)?.contains(name) {
        return Ok(());
    }
    let message = format!("can't sum “{name}”: use dur or a numeric payload field");
    Err(unknown(&message, "Numeric fields", name, names(session, filter, is_number)?))
}

fn unknown(message: &str, title: &str, typed: &str, mut names: Vec<String>) -> Stop {
    let typed = typed.to_lowercase();
    names.sort_by_key(|name| !name.to_lowercase().contains(&typed));
    misuse(format_args!("{message}\n{}", listed(title, &names)))
}

fn collect(query: Query, conditions: &mut Vec<Condition>) {
    match query {
        Query::Is(condition) => conditions.push(condition),
        Query::Not(inner) => collect(*inner, conditions),
        Query::All(parts) | Query::Any(parts) => parts.into_iter().for_each(|part| collect(part, conditions)),
    }
}

/// Returns the key of a text that looks like a condition: a name, an operator and a value, or a name and a colon.
fn unknown_key(text: &str) -> Option<&str> {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')?;
    let (key, condition) = text.split_at(end);
    let value = condition.trim_start_matches(['=', ':', '!', '<', '>']);
    let is_value = match condition.chars().next()? {
        ':' => value.len() + 1 == condition.len() && value.starts_with(|first: char| first.is_alphanumeric()),
        '=' | '!' => !condition.starts_with('!') || condition.starts_with("!="),
        '<' | '>' => value.starts_with(|first: char| first.is_ascii_digit()),
        _ => false,
    };
    let is_complete = is_value && !value.is_empty() || condition == ":";
    (is_complete && key.starts_with(|first: char| first.is_ascii_alphabetic())).then_some(key)
}

/// Returns whether an event has a payload field, which may be a key/value pair or a field of an array's elements.
fn has_field(session: &mut Session, name: &str) -> Result<bool, Failure> {
    let last = name.rsplit('.').next().unwrap_or(name);
    let declared = names(session, &Filter::default(), |_| true)?;
    if declared.iter().any(|field| field.eq_ignore_ascii_case(name) || field.eq_ignore_ascii_case(last)) {
        return Ok(true);
    }
    let any = Pattern::Text("0".to_owned());
    let with = |comparison| Query::Is(Condition::Payload(name.to_owned(), comparison));
    let has_value = Query::Any(vec![with(Comparison::Is(any.clone())), with(Comparison::IsNot(any))]);
    Ok(session.rows_of(&has_value.to_string())?.count() > 0)
}

/// Returns the names of the payload fields of matching events, alphabetically.
fn names(session: &mut Session, filter: &Filter, is_wanted: fn(bool) -> bool) -> Result<Vec<String>, Failure> {
    let FieldNames { name, is_number } = session.ask(&queries::FieldNames { filter: filter.clone() })?;
    let wanted = name.iter().zip(is_number).filter(|(_, is_number)| is_wanted(*is_number != 0));
    Ok(wanted.map(|(name, _)| name.to_owned()).collect())
}

/// Returns the names of all labels, alphabetically.
fn labels(session: &Session) -> Vec<String> {
    let lists = session.store().label_lists.iter();
    let mut labels: Vec<String> = lists.flat_map(|list| list.pairs.iter().map(|(name, _)| name.clone())).collect();
    labels.sort();
    labels.dedup();
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_key_has_operator() {
        for text in ["provder:Http", "nope=3", "duration>5ms", "lvl<=2", "nope!=3", "nope:"] {
            assert!(unknown_key(text).is_some(), "{text}");
        }
        for text in ["https://a.b", "gc_heap::plan", "List<int>", "12:30", "a->b", "System.String", "a!b"] {
            assert_eq!(unknown_key(text), None, "{text}");
        }
    }
}
