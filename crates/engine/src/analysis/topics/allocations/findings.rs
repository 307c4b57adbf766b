//! Findings about allocations: call sites that allocate so much that they keep the GC busy.

use super::AllocationFacts;
use super::report::Counted;
use crate::analysis::topics::shared::evidence::{link, on_timeline, open};
use crate::analysis::topics::shared::evidence_text::evidence;
use crate::analysis::topics::{Known, Scope};
use crate::clr::names::readable_type;
use protocol::format::{bytes, percent};
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingTarget, Narrowing};
use protocol::topics::topic::Topic;

/// Bytes per second from one call site that keep the GC busy, and the minimum share of all allocated bytes.
const HOT_A_SECOND: f64 = 50e6;
const HOT_SHARE: f64 = 0.3;
/// Minimum bytes of a burst, whose rate refers to its own time.
const BURST: f64 = 500e6;

/// Returns a finding if one call site accounts for most allocations.
pub(super) fn findings(facts: &AllocationFacts, known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
    let Some(counted) = Counted::of(facts, known, scope) else { return Vec::new() };
    hot_place(&counted, scope).into_iter().collect()
}

fn hot_place(counted: &Counted<'_>, scope: &Scope<'_>) -> Option<Finding> {
    let (site, group) = counted.places.iter().find(|(site, _)| site.is_some())?;
    let bytes_of = group.sum.bytes;
    let rate_in = |nanos: i64| bytes_of * 1e9 / nanos.max(1) as f64;
    let own_time = group.last_time.saturating_sub(group.first_time);
    let rate = match rate_in(scope.span.duration()) {
        rate if rate < HOT_A_SECOND && bytes_of >= BURST => rate_in(own_time),
        rate => rate,
    };
    let share = bytes_of / counted.all.sum.bytes.max(1.0);
    if rate < HOT_A_SECOND || share < HOT_SHARE {
        return None;
    }
    let short_name = counted.site_names.short(*site);
    let of_type =
        counted.sites.iter().find(|((place, _), _)| place == site).map(|((_, name), _)| counted.names.get(*name));
    let of_type = of_type.map(readable_type).unwrap_or_default();
    let mostly = if of_type.is_empty() { String::new() } else { format!(", mostly {of_type}") };
    let times = counted.times_of(*site, scope);
    let condition = format!("event:Allocation {}", counted.site_names.condition(*site));
    let cost = Cost::bytes(group.sum.bytes.round() as u64, "allocated");
    Some(Finding {
        title: format!("{short_name} allocated {}", cost.size()),
        sentence: evidence(
            format!("That is {} of allocated bytes, {}/s", percent(share, 1.0), bytes(rate as u64)),
            [mostly],
        ),
        links: [link("View allocations", FindingTarget::Narrow(Narrowing::to(condition))), open(Topic::Allocations)]
            .into_iter()
            .chain(on_timeline(&times))
            .collect(),
        times,
        advice: match of_type.as_str() {
            array if array.ends_with("[]") => "Rent arrays from ArrayPool<T>, or use Span<T>.",
            "string" => "Use ReadOnlySpan<char>, or reuse strings.",
            _ => "Reuse objects, or use ObjectPool<T>.",
        }
        .to_owned(),
        details: format!("The allocations are in {}.", counted.site_names.phrase(*site)),
        ..Finding::new(FindingKind::HotAllocations, cost)
    })
}
