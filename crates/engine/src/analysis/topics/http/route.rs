//! Filter conditions for the requests of a route.

use protocol::filter::word;

/// Returns a filter condition for the start events of a route's requests: those whose `field` begins with the route.
pub(super) fn route_condition(field: &str, route: &str) -> String {
    let mut rest = route;
    let mut pattern = String::from("^");
    while let Some((before, after)) =
        rest.split_once('{').and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        push_literal(&mut pattern, before);
        pattern.push_str(if after.0 == "n" { "[0-9]+" } else { "[^\\/]+" });
        rest = after.1;
    }
    if rest == route {
        return format!("payload.{field}:{}", word(route));
    }
    push_literal(&mut pattern, rest);
    format!("payload.{field}~/{pattern}([?#]|$)/")
}

fn push_literal(pattern: &mut String, text: &str) {
    for character in text.chars() {
        if !character.is_alphanumeric() && !"-_ ".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::filter::parse;

    #[test]
    fn route_becomes_condition() {
        assert_eq!(route_condition("path", "/fast"), "payload.path:\"/fast\"");
        let condition = route_condition("pathAndQuery", "/orders/{n}");
        assert_eq!(condition, r"payload.pathAndQuery~/^\/orders\/[0-9]+([?#]|$)/");
        for route in ["/orders/{n}", "/a.b/{id}/c d", "/{tenant}/x", "/open{"] {
            assert!(parse(&route_condition("path", route)).is_ok(), "{route}");
        }
    }
}
