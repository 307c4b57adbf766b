//! State of the Stacks tab in a URL.

use super::part::{self, UrlPart};
use super::percent::{escape_dots, unescape};
use protocol::named;
use protocol::request::{Baseline, BaselineOf, EventName, Filter, SampleChoice, StackSource, TreeQuery, Weight};
use protocol::stacks::shape::{FrameName, Grouping, NodeName, Roots, Shape, Transform};

named! {
    /// View of the stacks. Declared in display order.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub enum StackView {
        /// Flame graph, roots on top, with the functions beside it.
        #[default]
        Flame: "flame";
        Tree: "tree";
        /// Inverted call tree.
        BottomUp: "bottom-up";
        Functions: "functions";
        /// One function with its callers above and its callees below.
        Sandwich: "sandwich";
        /// Stacks of one thread over time.
        TimeOrder: "time";
    }
    /// Returns the name in URLs.
    fn slug;
}

/// Choices of samples with names in URLs.
const SAMPLES: [SampleChoice; 5] =
    [SampleChoice::All, SampleChoice::Managed, SampleChoice::External, SampleChoice::Blocked, SampleChoice::Idle];
/// All events with stacks, in URLs.
const EVERYTHING: &str = "*";

/// Comparison with a baseline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Comparison {
    /// True if the baseline is a saved filter; otherwise it is the complement of the filter.
    pub with_kept: bool,
    /// True if shares are compared instead of amounts.
    pub is_scaled: bool,
}

/// Filters of the events and of the baseline.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compared {
    pub filter: Filter,
    pub kept: Filter,
}

/// State of the Stacks tab.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StacksView {
    pub view: StackView,
    pub source: StackSource,
    /// Samples that count.
    pub samples: SampleChoice,
    pub weight: Weight,
    /// Shape of the stacks. Its direction is that of the flame graph.
    pub shape: Shape,
    /// Function with its callers and callees.
    pub pivot: Option<FrameName>,
    pub comparison: Option<Comparison>,
}

impl Default for StacksView {
    fn default() -> Self {
        Self {
            view: StackView::default(),
            source: StackSource::default(),
            samples: SampleChoice::Running,
            weight: Weight::default(),
            shape: Shape {
                just_my_code: true,
                without_polls: true,
                awaits: true,
                unresolved: true,
                ..Shape::default()
            },
            pivot: None,
            comparison: None,
        }
    }
}

impl StacksView {
    /// Returns the query of a view of these stacks.
    pub fn query(&self, of: Compared, view: StackView) -> TreeQuery {
        let inverted = match view {
            StackView::Flame => self.shape.inverted,
            StackView::BottomUp => true,
            StackView::Tree | StackView::Functions | StackView::Sandwich | StackView::TimeOrder => false,
        };
        let baseline = self.comparison.map(|comparison| Baseline {
            of: if comparison.with_kept { BaselineOf::Filter(of.kept) } else { BaselineOf::Rest },
            is_scaled: comparison.is_scaled,
        });
        TreeQuery {
            filter: of.filter,
            baseline,
            source: self.source.clone(),
            samples: self.samples,
            weight: self.weight.clone(),
            shape: Shape { inverted, ..self.shape.clone() },
        }
    }

    /// Returns the query for the callers of a function, nearest first.
    pub fn callers_query(&self, of: Compared, pivot: &FrameName) -> TreeQuery {
        let mut query = self.query(of, StackView::BottomUp);
        query.shape.roots = Roots::None;
        let only = [Transform::Keep(pivot.clone()), Transform::CollapseFunction(pivot.clone())];
        query.shape.transforms.extend(only);
        query
    }

    /// Returns the query for the callees of a function.
    pub fn callees_query(&self, of: Compared, pivot: &FrameName) -> TreeQuery {
        let mut query = self.query(of, StackView::Sandwich);
        query.shape.roots = Roots::None;
        query.shape.transforms.push(Transform::FocusFunction(pivot.clone()));
        query
    }
}

impl UrlPart for StacksView {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        let source = match &self.source {
            StackSource::Samples => String::new(),
            StackSource::Events(event) => dotted(&event.provider, &event.name),
            StackSource::Everything => EVERYTHING.to_owned(),
        };
        let weight = match &self.weight {
            Weight::Time => String::new(),
            Weight::Count => "count".to_owned(),
            Weight::Field(name) => format!("field.{name}"),
        };
        let shape = &self.shape;
        let off = |is_set: bool| if is_set { "" } else { "0" };
        let on = |is_set: bool| if is_set { "1" } else { "" };
        part::push_texts(
            push,
            &[
                ("as", part::unless_default(self.view, StackView::slug)),
                ("of", &source),
                ("only", sample_slug(self.samples)),
                ("by", &weight),
                ("mine", off(shape.just_my_code)),
                ("await", off(shape.awaits)),
                ("nameless", off(shape.unresolved)),
                ("roots", part::unless_default(shape.roots, Roots::slug)),
            ],
        );
        shape.framework.iter().for_each(|prefix| push("fw", prefix));
        part::push_texts(push, &[("pg", &shape.patterns.groups), ("pf", &shape.patterns.folds)]);
        shape.shown.iter().for_each(|family| push("show", family));
        part::push_texts(
            push,
            &[
                ("group", part::unless_default(shape.grouping, Grouping::slug)),
                ("rec", on(shape.without_recursion)),
                ("inv", on(shape.inverted)),
                ("async", on(shape.stitched)),
            ],
        );
        shape.transforms.iter().for_each(|transform| push("tx", &encode_transform(transform)));
        if let Some(pivot) = &self.pivot {
            push("fn", &encode_frame(pivot));
        }
        if let Some(comparison) = self.comparison {
            push("vs", if comparison.with_kept { "kept" } else { "rest" });
            if !comparison.is_scaled {
                push("abs", "1");
            }
        }
    }

    fn decode(&mut self, key: &str, value: &str) -> bool {
        match key {
            "as" => self.view = part::named_or(StackView::ALL, StackView::slug, value, self.view),
            "of" if value == EVERYTHING => self.source = StackSource::Everything,
            "of" => {
                if let Some((provider, name)) = undotted(value) {
                    self.source = StackSource::Events(EventName { provider, name });
                }
            }
            "only" => self.samples = part::named_or(SAMPLES, sample_slug, value, self.samples),
            // Keys in links from earlier versions.
            "by" if matches!(value, "count" | "samples") => self.weight = Weight::Count,
            "by" => {
                if let Some(name) = value.strip_prefix("field.") {
                    self.weight = Weight::Field(name.to_owned());
                }
            }
            "mine" if value == "0" => self.shape.just_my_code = false,
            "await" if value == "0" => self.shape.awaits = false,
            "nameless" if value == "0" => self.shape.unresolved = false,
            "roots" => self.shape.roots = part::named_or(Roots::ALL, Roots::slug, value, self.shape.roots),
            "fw" => self.shape.framework.push(value.to_owned()),
            "pg" => value.clone_into(&mut self.shape.patterns.groups),
            "pf" => value.clone_into(&mut self.shape.patterns.folds),
            "show" => self.shape.shown.push(value.to_owned()),
            "group" => self.shape.grouping = part::named_or(Grouping::ALL, Grouping::slug, value, self.shape.grouping),
            "rec" if value == "1" => self.shape.without_recursion = true,
            "async" if value == "1" => self.shape.stitched = true,
            "inv" if value == "1" => self.shape.inverted = true,
            "tx" => self.shape.transforms.extend(decode_transform(value)),
            "vs" if matches!(value, "kept" | "rest") => {
                self.comparison = Some(Comparison { with_kept: value == "kept", is_scaled: true });
            }
            "abs" if value == "1" => {
                if let Some(comparison) = &mut self.comparison {
                    comparison.is_scaled = false;
                }
            }
            "fn" => self.pivot = decode_frame(value),
            _ => return false,
        }
        true
    }
}

/// Returns the name of a choice of samples in URLs; empty for the default.
fn sample_slug(samples: SampleChoice) -> &'static str {
    match samples {
        SampleChoice::Running => "",
        SampleChoice::All | SampleChoice::NotIdle => "all",
        SampleChoice::Managed => "managed",
        SampleChoice::External => "external",
        SampleChoice::Blocked => "blocked",
        SampleChoice::Idle => "idle",
    }
}

/// Returns a frame as part of a URL.
pub fn encode_frame(frame: &FrameName) -> String {
    dotted(&frame.module, &frame.name)
}

/// Reads a frame from part of a URL.
pub fn decode_frame(text: &str) -> Option<FrameName> {
    undotted(text).map(|(module, name)| FrameName { name, module })
}

fn dotted(first: &str, rest: &str) -> String {
    let mut text = String::new();
    escape_dots(first, &mut text);
    text.push('.');
    text.push_str(rest);
    text
}

fn undotted(text: &str) -> Option<(String, String)> {
    let (first, rest) = text.split_once('.')?;
    Some((unescape(first)?, rest.to_owned()))
}

fn encode_transform(transform: &Transform) -> String {
    let frame = |kind: &str, frame: &FrameName| format!("{kind}.{}", dotted(&frame.module, &frame.name));
    let node = |kind: &str, node: &NodeName| format!("{kind}.{:x}.{}", node.path, node.name);
    match transform {
        Transform::FocusFunction(of) => frame("focus", of),
        Transform::FocusNode(of) => node("focus-node", of),
        Transform::MergeFunction(of) => frame("merge", of),
        Transform::MergeNode(of) => node("merge-node", of),
        Transform::CollapseFunction(of) => frame("collapse", of),
        Transform::CollapseRecursion(of) => frame("recursion", of),
        Transform::CollapseModule(module) => format!("module.{module}"),
        Transform::Drop(of) => frame("drop", of),
        Transform::Keep(of) => frame("keep", of),
    }
}

fn decode_transform(text: &str) -> Option<Transform> {
    let (kind, rest) = text.split_once('.')?;
    let frame = || undotted(rest).map(|(module, name)| FrameName { name, module });
    let node = || {
        let (path, name) = rest.split_once('.')?;
        Some(NodeName { path: u64::from_str_radix(path, 16).ok()?, name: name.to_owned() })
    };
    Some(match kind {
        "focus" => Transform::FocusFunction(frame()?),
        "focus-node" => Transform::FocusNode(node()?),
        "merge" => Transform::MergeFunction(frame()?),
        "merge-node" => Transform::MergeNode(node()?),
        "collapse" => Transform::CollapseFunction(frame()?),
        "recursion" => Transform::CollapseRecursion(frame()?),
        "module" => Transform::CollapseModule(rest.to_owned()),
        "drop" => Transform::Drop(frame()?),
        "keep" => Transform::Keep(frame()?),
        _ => return None,
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use protocol::stacks::shape::FramePatterns;

    fn transforms() -> impl Strategy<Value = Transform> {
        let frame = || (any::<String>(), any::<String>()).prop_map(|(name, module)| FrameName { name, module });
        let node = || (any::<u64>(), any::<String>()).prop_map(|(path, name)| NodeName { path, name });
        prop_oneof![
            frame().prop_map(Transform::FocusFunction),
            node().prop_map(Transform::FocusNode),
            frame().prop_map(Transform::MergeFunction),
            node().prop_map(Transform::MergeNode),
            frame().prop_map(Transform::CollapseFunction),
            frame().prop_map(Transform::CollapseRecursion),
            any::<String>().prop_map(Transform::CollapseModule),
            frame().prop_map(Transform::Drop),
            frame().prop_map(Transform::Keep),
        ]
    }

    fn shapes() -> impl Strategy<Value = Shape> {
        let groupings = [Grouping::Functions, Grouping::Classes, Grouping::Namespaces, Grouping::Modules];
        let all_roots = [Roots::None, Roots::Process, Roots::Thread, Roots::Role, Roots::Work];
        let patterns = (any::<String>(), any::<String>()).prop_map(|(groups, folds)| FramePatterns { groups, folds });
        let roots =
            (prop::sample::select(all_roots.to_vec()), proptest::collection::vec(any::<String>(), 0..3), patterns);
        let flags = any::<[bool; 6]>();
        let shown = proptest::collection::vec(any::<String>(), 0..3);
        let transforms = proptest::collection::vec(transforms(), 0..3);
        (flags, shown, prop::sample::select(groupings.to_vec()), transforms, roots).prop_map(
            |(
                [just_my_code, without_recursion, inverted, stitched, awaits, unresolved],
                shown,
                grouping,
                transforms,
                (roots, framework, patterns),
            )| Shape {
                roots,
                stitched,
                awaits,
                unresolved,
                framework,
                patterns,
                just_my_code,
                without_polls: true,
                without_callees: false,
                shown,
                grouping,
                without_recursion,
                transforms,
                inverted,
            },
        )
    }

    /// Returns any state.
    pub fn looks() -> impl Strategy<Value = StacksView> {
        let views = prop::sample::select(&StackView::ALL[..]);
        let events = (any::<String>(), any::<String>())
            .prop_map(|(provider, name)| StackSource::Events(EventName { provider, name }));
        let samples = prop::sample::select(
            &[
                SampleChoice::All,
                SampleChoice::Managed,
                SampleChoice::External,
                SampleChoice::Running,
                SampleChoice::Blocked,
                SampleChoice::Idle,
            ][..],
        );
        let weights = prop_oneof![Just(Weight::Count), Just(Weight::Time), any::<String>().prop_map(Weight::Field)];
        let pivots = proptest::option::of(
            (any::<String>(), any::<String>()).prop_map(|(name, module)| FrameName { name, module }),
        );
        let comparisons = proptest::option::of(
            any::<[bool; 2]>().prop_map(|[with_kept, is_scaled]| Comparison { with_kept, is_scaled }),
        );
        let sources = prop_oneof![Just(StackSource::Samples), Just(StackSource::Everything), events];
        (views, sources, samples, weights, shapes(), pivots, comparisons).prop_map(
            |(view, source, samples, weight, shape, pivot, comparison)| StacksView {
                view,
                source,
                samples,
                weight,
                shape,
                pivot,
                comparison,
            },
        )
    }
}
