//! Sort order of events in URLs, and its changes by clicks on column headings.

use protocol::events::columns::EventColumn;
use protocol::request::{EventOrder, SortKey};

/// Returns the order as part of a URL: `thread`, `-level`, `field.TypeName`; a minus means descending. Empty for the
/// order of time.
pub fn encode(order: &EventOrder) -> String {
    if *order == EventOrder::default() {
        return String::new();
    }
    format!("{}{}", if order.descending { "-" } else { "" }, encode_key(&order.key))
}

/// Reads the order from part of a URL; the order of time if it is malformed.
pub fn decode(text: &str) -> EventOrder {
    let (descending, key) = text.strip_prefix('-').map_or((false, text), |key| (true, key));
    decode_key(key).map_or_else(EventOrder::default, |key| EventOrder { key, descending })
}

/// Returns a sort key as part of a URL.
pub fn encode_key(key: &SortKey) -> String {
    match key {
        SortKey::Time => "time".to_owned(),
        SortKey::Thread => "thread".to_owned(),
        SortKey::Provider => "provider".to_owned(),
        SortKey::Name => "event".to_owned(),
        SortKey::Level => "level".to_owned(),
        SortKey::Duration => "duration".to_owned(),
        SortKey::Field(name) => format!("field.{name}"),
    }
}

/// Reads a sort key from part of a URL.
pub fn decode_key(text: &str) -> Option<SortKey> {
    match text {
        "time" => Some(SortKey::Time),
        "thread" => Some(SortKey::Thread),
        "provider" => Some(SortKey::Provider),
        "event" => Some(SortKey::Name),
        "level" => Some(SortKey::Level),
        "duration" => Some(SortKey::Duration),
        _ => text.strip_prefix("field.").map(|name| SortKey::Field(name.to_owned())),
    }
}

/// Returns the sort key of a column of the event table; `None` if it isn't sortable.
pub fn key_of(column: &EventColumn) -> Option<SortKey> {
    Some(match column {
        EventColumn::Time => SortKey::Time,
        EventColumn::Thread => SortKey::Thread,
        EventColumn::Provider => SortKey::Provider,
        EventColumn::Name => SortKey::Name,
        EventColumn::Level => SortKey::Level,
        EventColumn::Duration => SortKey::Duration,
        EventColumn::Field(name) => SortKey::Field(name.clone()),
        EventColumn::BelongsTo | EventColumn::Payload => return None,
    })
}

/// Returns the order after a click on the heading of a sort key: by that key, or reversed if it was sorted by it.
/// Durations are sorted longest first, because users look for those.
pub fn clicked(order: &EventOrder, key: &SortKey) -> EventOrder {
    let descending = if order.key == *key { !order.descending } else { *key == SortKey::Duration };
    EventOrder { descending, key: key.clone() }
}

/// Returns the value of `aria-sort` for a column heading.
pub fn aria_sort(order: &EventOrder, key: &SortKey) -> &'static str {
    match (order.key == *key, order.descending) {
        (false, _) => "none",
        (true, false) => "ascending",
        (true, true) => "descending",
    }
}

/// Describes the order, after "events match, ".
pub fn words(order: &EventOrder) -> String {
    let key = match &order.key {
        SortKey::Time if order.descending => return "latest first".to_owned(),
        SortKey::Time => return "oldest first".to_owned(),
        SortKey::Thread => "thread",
        SortKey::Provider => "provider",
        SortKey::Name => "name",
        SortKey::Level => "level",
        SortKey::Duration => "duration",
        SortKey::Field(name) => name,
    };
    format!("by {key}, {}", if order.descending { "largest first" } else { "smallest first" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_round_trip_through_url() {
        let keys = [
            SortKey::Time,
            SortKey::Thread,
            SortKey::Provider,
            SortKey::Name,
            SortKey::Level,
            SortKey::Duration,
            SortKey::Field("-Type.Name".to_owned()),
            SortKey::Field(String::new()),
        ];
        for key in keys {
            for descending in [false, true] {
                let order = EventOrder { key: key.clone(), descending };
                assert_eq!(decode(&encode(&order)), order);
            }
        }
        assert_eq!(decode("-nonsense"), EventOrder::default());
        assert_eq!(encode(&EventOrder::default()), "");
    }

    #[test]
    fn second_click_reverses_order() {
        let by_level = clicked(&EventOrder::default(), &SortKey::Level);
        assert_eq!(aria_sort(&by_level, &SortKey::Level), "ascending");
        let turned = clicked(&by_level, &SortKey::Level);
        assert_eq!(aria_sort(&turned, &SortKey::Level), "descending");
        assert_eq!(aria_sort(&turned, &SortKey::Time), "none");
        assert_eq!(clicked(&turned, &SortKey::Level), by_level);
        assert_eq!(clicked(&turned, &SortKey::Time), EventOrder::default());
        let longest = clicked(&turned, &SortKey::Duration);
        assert!(longest.descending && !clicked(&longest, &SortKey::Duration).descending);
        assert_eq!(words(&turned), "by level, largest first");
    }
}
