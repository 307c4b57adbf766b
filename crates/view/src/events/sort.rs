//! Sort order of events in URLs, and its changes by clicks on column headings.

use protocol::events::columns::{Column, EventColumn};
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
        SortKey::Field(name) => format!("field.{name}"),
        key => Column::of(key).map_or_else(String::new, |column| column.key.to_owned()),
    }
}

/// Reads a sort key from part of a URL.
pub fn decode_key(text: &str) -> Option<SortKey> {
    match text.strip_prefix("field.") {
        Some(name) => Some(SortKey::Field(name.to_owned())),
        None => Column::with_key(text).filter(|column| column.sort).map(|column| column.column.clone()),
    }
}

/// Returns the sort key of a column of the event table; `None` if it isn't sortable.
pub fn key_of(column: &EventColumn) -> Option<SortKey> {
    column.is_sortable().then(|| column.clone())
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
        SortKey::Field(name) => name.clone(),
        SortKey::Name => "name".to_owned(),
        key => Column::of(key).map_or_else(String::new, |column| column.phrase()),
    };
    format!("by {key}, {}", if order.descending { "largest first" } else { "smallest first" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::events::columns::Property;

    #[test]
    fn orders_round_trip_through_url() {
        let keys = [
            SortKey::Time,
            SortKey::Thread,
            SortKey::Provider,
            SortKey::Name,
            SortKey::Level,
            SortKey::Duration,
            SortKey::Property(Property::Cpu),
            SortKey::Field("-Type.Name".to_owned()),
            SortKey::Field(String::new()),
        ];
        for key in keys {
            for descending in [false, true] {
                let order = EventOrder { key: key.clone(), descending };
                assert_eq!(decode(&encode(&order)), order);
            }
        }
        for unsorted in ["-nonsense", "-payload", "labels"] {
            assert_eq!(decode(unsorted), EventOrder::default());
        }
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
