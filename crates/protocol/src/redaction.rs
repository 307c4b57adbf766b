//! Redaction: which texts of a trace are masked before it is shared.

use crate::base::hash::FastSet;
use crate::columns::Strings;
use crate::named;
use crate::packed_table;
use serde::{Deserialize, Serialize};

named! {
    /// Kind of text that may be private. Declared in display order.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
    #[repr(u8)]
    pub enum TextKind {
        CommandLine: "command-line", "Command lines and environment variables";
        Path: "paths", "File paths; the file names of modules are kept";
        Name: "names", "Machine, user and process names";
        Url: "urls", "URLs, hosts and query strings";
        Sql: "sql", "SQL and other database commands";
        Log: "logs", "Log messages and their arguments";
        Exception: "exceptions", "Exception and error messages";
        Header: "header", "Key/value pairs of the file header";
        Label: "labels", "Event labels and thread names";
        #[default]
        Other: "other", "All other text in the app's events";
        Code: "code", "Names in code: methods, types, modules, counters, event sources";
    }
    /// Returns the name on the command line.
    fn slug;
    /// Returns the description.
    fn title;
}

impl TextKind {
    /// Returns the kind with a name on the command line.
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.slug() == slug)
    }

    /// Returns the kinds that are masked unless the user chooses others: all but the names of code, without which a
    /// trace can't be analyzed.
    pub fn private() -> Vec<Self> {
        Self::ALL.into_iter().filter(|kind| *kind != Self::Code).collect()
    }
}

named! {
    /// How texts are masked. The number of characters stays the same. Declared in display order.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
    pub enum Mask {
        /// Each word becomes a random word, the same one wherever it occurs, so that grouping still works.
        #[default]
        Tokens: "tokens";
        /// All letters become `x`, all digits `0`.
        Blank: "blank";
    }
    /// Returns the name on the command line.
    fn slug;
}

/// What to mask, and how. The default masks nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Redaction {
    /// Kinds of text to mask.
    pub kinds: Vec<TextKind>,
    /// Fields to mask, whatever their kind: "field" or "event/field".
    pub fields: Vec<String>,
    /// Fields to keep, whatever their kind.
    pub kept_fields: Vec<String>,
    pub mask: Mask,
    /// Secret from which random words are made. It isn't stored in the masked trace.
    pub key: u64,
}

impl Redaction {
    /// Returns whether nothing is masked.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.fields.is_empty()
    }

    /// Returns whether a text is masked.
    pub fn covers(&self, kind: TextKind, event: &str, field: &str) -> bool {
        let is_in = |fields: &[String]| {
            fields.iter().any(|one| match one.rsplit_once('/') {
                Some((of, name)) => of == event && name == field,
                None => one == field,
            })
        };
        !is_in(&self.kept_fields) && (self.kinds.contains(&kind) || is_in(&self.fields))
    }
}

packed_table!(
    /// Texts in a trace that may be private, one row per kind, event and field.
    PrivateTexts {
        /// A [`TextKind`].
        kind: Vec<u8>,
        /// Event, or part of the file.
        event: Strings,
        field: Strings,
        /// Number of texts.
        count: Vec<u64>,
        bytes: Vec<u64>,
        example: Strings,
        /// 1 if the file name at the end of a path stays.
        keeps_file_name: Vec<u8>,
        /// The example with its mask.
        masked: Strings,
    }
);

impl PrivateTexts {
    pub fn kind_of(&self, row: usize) -> Option<TextKind> {
        TextKind::ALL.get(usize::from(*self.kind.get(row)?)).copied()
    }

    /// Adds the texts of another trace.
    pub fn add(&mut self, other: &Self) {
        let Self { kind, event, field, count, bytes, example, keeps_file_name, masked } = self;
        kind.extend_from_slice(&other.kind);
        count.extend_from_slice(&other.count);
        bytes.extend_from_slice(&other.bytes);
        keeps_file_name.extend_from_slice(&other.keeps_file_name);
        let texts = [(event, &other.event), (field, &other.field), (example, &other.example), (masked, &other.masked)];
        for (own, others) in texts {
            others.iter().for_each(|text| _ = own.push(text));
        }
    }

    /// Returns the number of texts of a kind, and up to `limit` different examples, each with its mask.
    pub fn of_kind(&self, kind: TextKind, limit: usize) -> (u64, Vec<(&str, &str)>) {
        let rows = (0..self.kind.len()).filter(|row| self.kind_of(*row) == Some(kind));
        let (mut count, mut examples, mut seen) = (0, Vec::new(), FastSet::default());
        for row in rows {
            count += self.count.get(row).copied().unwrap_or(0);
            let example = self.example.get(row);
            if examples.len() < limit && !example.is_empty() && seen.insert(example) {
                examples.push((example, self.masked.get(row)));
            }
        }
        (count, examples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names() {
        for kind in TextKind::ALL {
            assert_eq!(TextKind::from_slug(kind.slug()), Some(kind));
            assert!(!kind.title().is_empty());
        }
        assert!(!TextKind::private().contains(&TextKind::Code));
    }

    #[test]
    fn texts_of_several_traces_are_counted_together() {
        let texts = |count, example: &str| PrivateTexts {
            kind: vec![TextKind::Url as u8],
            count: vec![count],
            bytes: vec![9],
            keeps_file_name: vec![0],
            event: [""].into_iter().collect(),
            field: [""].into_iter().collect(),
            example: [example].into_iter().collect(),
            masked: ["x"].into_iter().collect(),
        };
        let mut both = texts(3, "a");
        both.add(&texts(4, "b"));
        assert_eq!(both.of_kind(TextKind::Url, 9), (7, vec![("a", "x"), ("b", "x")]));
        assert_eq!(both.kind_of(1), Some(TextKind::Url));
    }

    #[test]
    fn fields_override_kinds() {
        let redaction = Redaction {
            kinds: vec![TextKind::Url],
            fields: vec!["Order/sku".to_owned(), "tag".to_owned()],
            kept_fields: vec!["path".to_owned()],
            ..Redaction::default()
        };
        let covers = |kind, event, field| redaction.covers(kind, event, field);
        assert!(covers(TextKind::Url, "RequestStart", "host") && !covers(TextKind::Url, "RequestStart", "path"));
        assert!(covers(TextKind::Other, "Order", "sku") && !covers(TextKind::Other, "Invoice", "sku"));
        assert!(covers(TextKind::Other, "Invoice", "tag") && !covers(TextKind::Log, "Message", "text"));
        assert!(Redaction::default().is_empty() && !redaction.is_empty());
    }
}
