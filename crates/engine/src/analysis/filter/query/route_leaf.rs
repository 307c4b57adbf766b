//! Condition on the route of the request during which an event was written.

use super::matcher::Matcher;
use crate::analysis::intervals::spans::request_times::RequestTimes;
use crate::analysis::intervals::spans::routes::route_name;
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
    /// Resolves a pattern. If it matches no route as it is, its numbers may be IDs ("/orders/17"), and its parameters
    /// may have other names ("/orders/{id}").
    pub fn new(requests: &Rc<RequestTimes>, pattern: &Pattern, extent: Extent) -> Self {
        let with = |pattern: &Pattern| {
            let matcher = Matcher::new(pattern, extent);
            move |name: &str| matcher.matches(name) || matcher.matches(path_of(name))
        };
        let find = |is_wanted: &dyn Fn(&str) -> bool| {
            let wanted: Vec<bool> = requests.route_names().map(is_wanted).collect();
            Some(wanted).filter(|wanted| wanted.contains(&true))
        };
        let typed = match pattern {
            Pattern::Text(text) => Some(route_name(text)),
            Pattern::Regex { .. } => None,
        };
        let loosely = || {
            let typed = typed?;
            let numbered = find(&with(&Pattern::Text(typed.clone())));
            numbered.or_else(|| find(&|name: &str| has_template(name, &typed)))
        };
        let wanted = find(&with(pattern)).or_else(loosely).unwrap_or_default();
        Self { requests: requests.clone(), wanted }
    }

    /// Returns whether an event belongs to a request of the wanted routes.
    pub fn matches(&self, store: &Store, chunk: &EventChunk, row: usize) -> bool {
        let time = store.clock.nanos(chunk.ticks(row)).0;
        let route = self.requests.route_at(chunk.activity(row), chunk.thread(row), time);
        route.is_some_and(|route| self.wanted.get(route as usize) == Some(&true))
    }
}

/// Returns the path of a route: "/orders/{n}" of "GET /orders/{n}".
fn path_of(name: &str) -> &str {
    name.split_once(' ').map_or(name, |(_, path)| path)
}

/// Returns whether a route has the form of an ASP.NET Core template, with or without a method:
/// "GET /orders/{id}", "/files/{**path}".
fn has_template(name: &str, template: &str) -> bool {
    let (route, template) = match template.split_once(' ') {
        Some((method, template)) if name.split(' ').next().is_some_and(|known| known.eq_ignore_ascii_case(method)) => {
            (path_of(name), template)
        }
        Some(_) => return false,
        None => (path_of(name), template),
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
        assert!(has_template("GET /orders/{n}", "GET /orders/{id:int}"));
        assert!(has_template("GET /orders/{n}", "/orders/{id}"));
        assert!(!has_template("POST /orders/{n}", "GET /orders/{id}"), "another method");
        assert!(!has_template("GET /orders/{n}/items", "/orders/{id}"), "a longer path");
        assert!(!has_template("GET /orders", "/orders/{id}"), "a shorter path");
        assert!(has_template("GET /orders", "/orders/{id?}"), "an optional parameter");
        assert!(has_template("GET /", "/{controller=Home}/{action=Index}"));
        assert!(has_template("GET /files/a/b", "/files/{**path}"));
        assert!(!has_template("GET /stock/{n}", "/orders/{id}"));
    }
}
