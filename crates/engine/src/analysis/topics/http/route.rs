//! Filter conditions for the requests of a route.

use protocol::filter::word;

/// Returns a filter condition for everything that was written during a route's requests.
pub(super) fn route_condition(method: &str, route: &str) -> String {
    format!("route={}", word(&route_text(method, route)))
}

/// Returns the name of a route: "GET /orders/{n}".
pub(super) fn route_text(method: &str, route: &str) -> String {
    format!("{method} {route}").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::filter::parse;

    #[test]
    fn route_becomes_condition() {
        assert_eq!(route_condition("GET", "/orders/{n}"), "route=\"GET /orders/{n}\"");
        for route in ["/orders/{n}", "/a.b/{id}/c d", "/{tenant}/x", "/open{", "/\"quoted\""] {
            assert!(parse(&route_condition("POST", route)).is_ok(), "{route}");
            assert!(parse(&route_condition("", route)).is_ok(), "{route}");
        }
    }
}
