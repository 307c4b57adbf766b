//! How stacks are looked at, as a part of the address.

use super::percent::{escape_dots, unescape};
use crate::protocol::request::Filter;
use crate::protocol::request::{EventName, SampleChoice, StackSource, TreeQuery, Weight};

/// How stacks are shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum StackView {
    /// Boxes as wide as their weight, roots on top, and the functions beside them.
    #[default]
    Flame,
    /// A tree of callers and callees.
    Tree,
    /// A table of functions.
    Functions,
}

impl StackView {
    /// All of them with their names in the address, in the order shown.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Flame, "flame"), (Self::Tree, "tree"), (Self::Functions, "functions")];
}

/// How stacks are looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StackLook {
    /// How they are shown.
    pub view: StackView,
    /// Whose stacks.
    pub source: StackSource,
    /// Which samples count.
    pub samples: SampleChoice,
    /// What each weighs.
    pub weight: Weight,
}

impl StackLook {
    /// The question about these stacks.
    pub fn query(&self, filter: Filter) -> TreeQuery {
        TreeQuery { filter, source: self.source.clone(), samples: self.samples, weight: self.weight.clone() }
    }

    /// Hands out the parts of an address, but for what is as in [`Default`].
    pub fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        let view = StackView::ALL.into_iter().find(|(view, _)| *view == self.view);
        if let Some((_, name)) = view.filter(|(view, _)| *view != StackView::default()) {
            push("as", name);
        }
        if let StackSource::Events(event) = &self.source {
            let mut text = String::new();
            escape_dots(&event.provider, &mut text);
            text.push('.');
            text.push_str(&event.name);
            push("of", &text);
        }
        match self.samples {
            SampleChoice::All => {}
            SampleChoice::Managed => push("only", "managed"),
            SampleChoice::External => push("only", "external"),
        }
        match &self.weight {
            Weight::Time => {}
            Weight::Count => push("by", "count"),
            Weight::Field(name) => push("by", &format!("field.{name}")),
        }
    }

    /// Takes a part of an address; what is malformed changes nothing.
    pub fn decode(&mut self, key: &str, value: &str) {
        match key {
            "as" => {
                let found = StackView::ALL.into_iter().find(|(_, name)| *name == value);
                self.view = found.map_or(self.view, |(view, _)| view);
            }
            "of" => {
                if let Some((provider, name)) = value.split_once('.')
                    && let Some(provider) = unescape(provider)
                {
                    self.source = StackSource::Events(EventName { provider, name: name.to_owned() });
                }
            }
            "only" if value == "managed" => self.samples = SampleChoice::Managed,
            "only" if value == "external" => self.samples = SampleChoice::External,
            // What links of earlier versions say.
            "by" if matches!(value, "count" | "samples") => self.weight = Weight::Count,
            "by" => {
                if let Some(name) = value.strip_prefix("field.") {
                    self.weight = Weight::Field(name.to_owned());
                }
            }
            _ => {}
        }
    }
}
