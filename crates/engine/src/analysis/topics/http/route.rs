//! Which requests are alike: paths without what names one thing of many.

use protocol::filter::word;

/// Hexadecimal digits from which on a part of a path is taken for the name of one thing.
const ID_DIGITS: usize = 12;

/// The path without its query, with `{id}` for what looks like an id and `{n}` for numbers: "/orders/17" and "/orders/18"
/// are one route. Numbers of versions ("/v2/") stay.
pub(super) fn route_of(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut route = String::with_capacity(path.len());
    for (at, part) in path.split('/').enumerate() {
        if at > 0 {
            route.push('/');
        }
        write_part(&mut route, part);
    }
    if route.is_empty() { "/".to_owned() } else { route }
}

fn write_part(route: &mut String, part: &str) {
    let digits = part.bytes().filter(u8::is_ascii_hexdigit).count();
    let is_id = digits >= ID_DIGITS
        && part.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && part.bytes().any(|byte| byte.is_ascii_digit());
    let is_version = part.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    if is_id && !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return route.push_str("{id}");
    }
    if is_version {
        return route.push_str(part);
    }
    let mut is_number = false;
    for character in part.chars() {
        if !character.is_ascii_digit() {
            route.push(character);
        } else if !is_number {
            route.push_str("{n}");
        }
        is_number = character.is_ascii_digit();
    }
}

/// A condition, in the language of filters, that holds for the starts of requests of a route: those whose field `field`
/// begins with it.
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
    fn what_names_one_thing_of_many_is_left_out() {
        let cases = [
            ("/orders/17?full=1", "/orders/{n}"),
            ("/inventory/item-4", "/inventory/item-{n}"),
            ("/v2/users/8f14e45f-ceea-467f-a8d1-6e2f3b6a1c55/photo", "/v2/users/{id}/photo"),
            ("/fast", "/fast"),
            ("/", "/"),
            ("", "/"),
            ("/feedfacecafe", "/feedfacecafe"),
        ];
        for (path, route) in cases {
            assert_eq!(route_of(path), route, "{path}");
        }
    }

    #[test]
    fn a_route_is_a_condition() {
        assert_eq!(route_condition("path", "/fast"), "payload.path:\"/fast\"");
        let condition = route_condition("pathAndQuery", "/orders/{n}");
        assert_eq!(condition, r"payload.pathAndQuery~/^\/orders\/[0-9]+([?#]|$)/");
        for route in ["/orders/{n}", "/a.b/{id}/c d", "/{tenant}/x", "/open{"] {
            assert!(parse(&route_condition("path", route)).is_ok(), "{route}");
        }
    }
}
