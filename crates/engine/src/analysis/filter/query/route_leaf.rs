//! Condition on the route of the request during which an event was written.

use super::matcher::Matcher;
use crate::analysis::intervals::spans::request_times::RequestTimes;
use crate::model::{EventChunk, Store};
use protocol::filter::{Extent, Pattern};
use std::rc::Rc;

/// Condition on the route of an event's request.
pub(super) struct RouteLeaf {
    requests: Rc<RequestTimes>,
    /// By route number.
    wanted: Vec<bool>,
}

impl RouteLeaf {
    pub fn new(requests: &Rc<RequestTimes>, pattern: &Pattern, extent: Extent) -> Self {
        let matcher = Matcher::new(pattern, extent);
        let template = match pattern {
            Pattern::Text(text) if text.contains('{') => Some(text.as_str()),
            _ => None,
        };
        let is_wanted = |name: &str| {
            let (_, path) = name.split_once(' ').unwrap_or(("", name));
            matcher.matches(name)
                || matcher.matches(path)
                || template.is_some_and(|template| has_template(name, path, template))
        };
        Self { requests: requests.clone(), wanted: requests.route_names().map(is_wanted).collect() }
    }

    /// Returns whether an event belongs to a request of the wanted routes.
    pub fn matches(&self, store: &Store, chunk: &EventChunk, row: usize) -> bool {
        let time = store.clock.nanos(chunk.ticks(row)).0;
        let route = self.requests.route_at(chunk.activity(row), chunk.thread(row), time);
        route.is_some_and(|route| self.wanted.get(route as usize) == Some(&true))
    }
}

/// Returns whether a route has the form of an ASP.NET Core template, with or without a method:
/// "GET /orders/{id}", "/files/{**path}".
fn has_template(name: &str, path: &str, template: &str) -> bool {
    let (route, template) = match template.split_once(' ') {
        Some((method, template)) if name.split(' ').next().is_some_and(|known| known.eq_ignore_ascii_case(method)) => {
            (path, template)
        }
        Some(_) => return false,
        None => (path, template),
    };
    let mut segments = route.split('/');
    for wanted in template.split('/') {
        let is_parameter = wanted.starts_with('{') && wanted.ends_with('}');
        match segments.next() {
            Some(_) if wanted.starts_with("{*") => return true,
            Some(_) if is_parameter => {}
            Some(segment) if segment.eq_ignore_ascii_case(wanted) => {}
            None if is_parameter && (wanted.contains(['?', '=']) || wanted.starts_with("{*")) => {}
            _ => return false,
        }
    }
    segments.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_matches_segment_by_segment() {
        let has = |name: &str, template: &str| {
            let (_, path) = name.split_once(' ').unwrap();
            has_template(name, path, template)
        };
        assert!(has("GET /orders/{n}", "GET /orders/{id:int}"));
        assert!(has("GET /orders/{n}", "/orders/{id}"));
        assert!(!has("POST /orders/{n}", "GET /orders/{id}"), "another method");
        assert!(!has("GET /orders/{n}/items", "/orders/{id}"), "a longer path");
        assert!(!has("GET /orders", "/orders/{id}"), "a shorter path");
        assert!(has("GET /orders", "/orders/{id?}"), "an optional parameter");
        assert!(has("GET /", "/{controller=Home}/{action=Index}"));
        assert!(has("GET /files/a/b", "/files/{**path}"));
        assert!(!has("GET /stock/{n}", "/orders/{id}"));
    }
}
