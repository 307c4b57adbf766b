//! Text of the manifest, indexed once.

use std::sync::OnceLock;

use super::super::provider::Provider;

const TEXT: &str = include_str!("events.txt");

/// Event of the table.
#[derive(Clone, Copy)]
pub(super) struct Event {
    pub provider: Provider,
    pub id: u32,
    pub name: &'static str,
    pub opcode: u8,
    pub level: u8,
    pub keywords: u64,
    /// ID of an event of the same provider whose layout this event shares.
    pub like: Option<u32>,
    /// Lines with the fields of each version.
    pub versions: &'static str,
}

/// Names of numbers or bits.
#[derive(Clone, Copy)]
pub(super) struct Values {
    pub name: &'static str,
    pub is_flags: bool,
    /// Lines that each contain a number and its name.
    pub lines: &'static str,
}

#[derive(Default)]
struct Index {
    events: Vec<Event>,
    values: Vec<Values>,
    keywords: Vec<(Provider, u64, &'static str)>,
}

pub(super) fn event(provider: Provider, id: u32) -> Option<&'static Event> {
    index().events.iter().find(|event| event.id == id && event.provider == provider)
}

/// Returns the event with a name, with or without the slash between task and opcode.
pub(super) fn named(provider: Provider, name: &str) -> Option<&'static Event> {
    let is_named = |event: &&Event| event.name == name || without_slash(event.name, name);
    index().events.iter().filter(|event| event.provider == provider).find(is_named)
}

fn without_slash(known: &str, name: &str) -> bool {
    known.split_once('/').is_some_and(|(task, opcode)| name.strip_prefix(task) == Some(opcode))
}

/// Returns the lines with the fields of each version of an event.
pub(super) fn layout_of(event: &Event) -> &'static str {
    let original = event.like.and_then(|id| self::event(event.provider, id));
    original.map_or(event.versions, |original| original.versions)
}

pub(super) fn values(name: &str) -> Option<Values> {
    index().values.iter().find(|values| values.name == name).copied()
}

/// Returns the keywords of a provider with their bits.
pub(super) fn keywords(provider: Provider) -> impl Iterator<Item = (u64, &'static str)> {
    index().keywords.iter().filter(move |keyword| keyword.0 == provider).map(|&(_, bits, name)| (bits, name))
}

/// Parses a number in the table, decimal or hexadecimal after `0x`.
pub(super) fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = Index::default();
        let mut provider = None;
        let mut rest = TEXT;
        while let Some((head, indented, behind)) = next_section(rest) {
            index.add(head, indented, &mut provider);
            rest = behind;
        }
        index
    })
}

/// Returns the next unindented line, the indented lines after it, and the rest of the text.
fn next_section(text: &'static str) -> Option<(&'static str, &'static str, &'static str)> {
    let (head, mut rest) = text.split_once('\n')?;
    let below = rest;
    while rest.starts_with(' ') {
        rest = rest.split_once('\n')?.1;
    }
    Some((head, &below[..below.len() - rest.len()], rest))
}

impl Index {
    fn add(&mut self, head: &'static str, lines: &'static str, provider: &mut Option<Provider>) -> Option<()> {
        let (kind, rest) = head.split_once(' ')?;
        match kind {
            "enum" | "flags" => self.values.push(Values { name: rest, is_flags: kind == "flags", lines }),
            "provider" => *provider = Provider::from_name(rest),
            "keyword" => {
                let (bits, name) = rest.split_once(' ')?;
                self.keywords.push(((*provider)?, number(bits)?, name));
            }
            "event" => self.events.push(event_from((*provider)?, rest, lines)?),
            _ => {}
        }
        Some(())
    }
}

fn event_from(provider: Provider, head: &'static str, versions: &'static str) -> Option<Event> {
    let mut words = head.split(' ');
    Some(Event {
        provider,
        id: words.next()?.parse().ok()?,
        name: words.next()?,
        opcode: words.next()?.parse().ok()?,
        level: words.next()?.parse().ok()?,
        keywords: number(words.next()?)?,
        like: words.nth(1).and_then(|id| id.parse().ok()),
        versions,
    })
}

#[cfg(test)]
pub(super) fn all_events() -> &'static [Event] {
    &index().events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_line_parses() {
        let heads = |kind| TEXT.lines().filter(|line| line.split(' ').next() == Some(kind)).count();
        assert_eq!(index().events.len(), heads("event"));
        assert_eq!(index().keywords.len(), heads("keyword"));
        assert_eq!(index().values.len(), heads("enum") + heads("flags"));
        assert!(index().events.iter().all(|event| event.like.is_none() || !layout_of(event).is_empty()));
        let known = ["enum", "flags", "provider", "keyword", "event", "#", ""];
        let strange = TEXT
            .lines()
            .find(|line| !line.starts_with(' ') && !known.contains(&line.split(' ').next().unwrap_or_default()));
        assert_eq!(strange, None);
    }
}
