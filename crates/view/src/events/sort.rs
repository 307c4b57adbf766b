//! Sort order of events in URLs, and its changes by clicks on column headings.

use super::columns::{column_of, key_of};
use protocol::events::columns::Column;
use protocol::request::{EventColumn, EventOrder};

/// Returns the order as part of a URL: `thread`, `-level`, `field.TypeName`; a minus means descending. Empty for the
/// order of time.
pub fn encode(order: &EventOrder) -> String {
    if *order == EventOrder::default() {
        return String::new();
    }
    format!("{}{}", if order.descending { "-" } else { "" }, key_of(&order.key))
}

/// Reads the order from part of a URL; the order of time if it is malformed.
pub fn decode(text: &str) -> EventOrder {
    let (descending, key) = text.strip_prefix('-').map_or((false, text), |key| (true, key));
    decode_key(key).map_or_else(EventOrder::default, |key| EventOrder { key, descending })
}

/// Reads a sort key from part of a URL.
pub fn decode_key(text: &str) -> Option<EventColumn> {
    column_of(text).filter(EventColumn::is_sortable)
}

/// Returns the order after a click on the heading of a sort key: by that key, or reversed if it was sorted by it.
/// Durations are sorted longest first, because users look for those.
pub fn clicked(order: &EventOrder, key: &EventColumn) -> EventOrder {
    let descending = if order.key == *key { !order.descending } else { *key == EventColumn::Duration };
    EventOrder { descending, key: key.clone() }
}

/// Describes the order, after "events match, ".
pub fn words(order: &EventOrder) -> String {
    let key = match &order.key {
        EventColumn::Time if order.descending => return "latest first".to_owned(),
        EventColumn::Time => return "oldest first".to_owned(),
        EventColumn::Field(name) => name.clone(),
        EventColumn::Name => "name".to_owned(),
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
            EventColumn::Time,
            EventColumn::Thread,
            EventColumn::Provider,
            EventColumn::Name,
            EventColumn::Level,
            EventColumn::Duration,
            EventColumn::Property(Property::Cpu),
            EventColumn::Field("-Type.Name".to_owned()),
            EventColumn::Field(String::new()),
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
        let by_level = clicked(&EventOrder::default(), &EventColumn::Level);
        assert_eq!(by_level, EventOrder { key: EventColumn::Level, descending: false });
        let turned = clicked(&by_level, &EventColumn::Level);
        assert_eq!(turned, EventOrder { key: EventColumn::Level, descending: true });
        assert_eq!(clicked(&turned, &EventColumn::Level), by_level);
        assert_eq!(clicked(&turned, &EventColumn::Time), EventOrder::default());
        let longest = clicked(&turned, &EventColumn::Duration);
        assert!(longest.descending && !clicked(&longest, &EventColumn::Duration).descending);
        assert_eq!(words(&turned), "by level, largest first");
    }
}
