//! The order of events in an address, and what a click on the head of a column makes of it.

use crate::protocol::request::{EventOrder, SortKey};

/// As part of an address: `thread`, `-level`, `field.TypeName`; a minus means largest first. Empty for the order of time.
pub fn encode(order: &EventOrder) -> String {
    let key = match &order.key {
        SortKey::Time if !order.descending => return String::new(),
        SortKey::Time => "time",
        SortKey::Thread => "thread",
        SortKey::Provider => "provider",
        SortKey::Name => "event",
        SortKey::Level => "level",
        SortKey::Field(name) => &format!("field.{name}"),
    };
    let sign = if order.descending { "-" } else { "" };
    format!("{sign}{key}")
}

/// From part of an address; the order of time if it is malformed.
pub fn decode(text: &str) -> EventOrder {
    let (descending, key) = text.strip_prefix('-').map_or((false, text), |key| (true, key));
    let key = match key {
        "time" => SortKey::Time,
        "thread" => SortKey::Thread,
        "provider" => SortKey::Provider,
        "event" => SortKey::Name,
        "level" => SortKey::Level,
        _ => match key.strip_prefix("field.") {
            Some(name) => SortKey::Field(name.to_owned()),
            None => return EventOrder::default(),
        },
    };
    EventOrder { key, descending }
}

/// The order after a click on what sorts by `key`: by that, or the other way round if it is by that already.
pub fn clicked(order: &EventOrder, key: &SortKey) -> EventOrder {
    EventOrder { descending: order.key == *key && !order.descending, key: key.clone() }
}

/// The value of `aria-sort` for the head of a column.
pub fn aria_sort(order: &EventOrder, key: &SortKey) -> &'static str {
    match (order.key == *key, order.descending) {
        (false, _) => "none",
        (true, false) => "ascending",
        (true, true) => "descending",
    }
}

/// In words, after "events match, ".
pub fn words(order: &EventOrder) -> String {
    let key = match &order.key {
        SortKey::Time if order.descending => return "latest first".to_owned(),
        SortKey::Time => return "in order of time".to_owned(),
        SortKey::Thread => "thread",
        SortKey::Provider => "provider",
        SortKey::Name => "name",
        SortKey::Level => "level",
        SortKey::Field(name) => name,
    };
    format!("by {key}, {}", if order.descending { "largest first" } else { "smallest first" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_survive_the_address() {
        let keys = [
            SortKey::Time,
            SortKey::Thread,
            SortKey::Provider,
            SortKey::Name,
            SortKey::Level,
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
    fn a_second_click_turns_the_order_round() {
        let by_level = clicked(&EventOrder::default(), &SortKey::Level);
        assert_eq!(aria_sort(&by_level, &SortKey::Level), "ascending");
        let turned = clicked(&by_level, &SortKey::Level);
        assert_eq!(aria_sort(&turned, &SortKey::Level), "descending");
        assert_eq!(aria_sort(&turned, &SortKey::Time), "none");
        assert_eq!(clicked(&turned, &SortKey::Level), by_level);
        assert_eq!(clicked(&turned, &SortKey::Time), EventOrder::default());
        assert_eq!(words(&turned), "by level, largest first");
    }
}
