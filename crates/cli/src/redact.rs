//! `traceglass redact`: masks private text in a trace.

use super::arguments::check_output;
use super::text::{Align, Output, line, table};
use super::{Stop, excerpt, field_names, open, values};
use clap::builder::TypedValueParser;
use protocol::format::{count, escaped};
use protocol::queries::PrivateTexts;
use protocol::redaction::{Mask, Redaction, TextKind};
use protocol::request::Filter;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;

/// Number of examples per kind.
const EXAMPLES: usize = 3;

/// Mask private text in a trace, such as command lines, paths, URLs, SQL and log messages
///
/// Writes the masked trace to OUT, unless --list is used. The masked trace has the same events, stacks, times and sizes.
/// Byte arrays aren't masked; blocks of unknown kinds are excluded.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceglass redact app.nettrace --list
  traceglass redact app.nettrace public.nettrace
  traceglass redact app.nettrace public.nettrace --keep urls --also sku")]
pub struct RedactCommand {
    /// Trace to read
    file: PathBuf,
    /// File to write
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    out: Option<PathBuf>,
    /// List the text by kind, with counts and examples
    #[arg(long)]
    list: bool,
    /// Mask only these kinds
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds(), conflicts_with = "keep")]
    only: Vec<TextKind>,
    /// Keep these kinds; all others except "code" are masked
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds(), hide_possible_values = true)]
    keep: Vec<TextKind>,
    /// Also mask these fields, named FIELD or EVENT/FIELD
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    also: Vec<String>,
    /// Keep these fields
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    keep_field: Vec<String>,
    /// How to mask
    #[arg(long, value_name = "MASK", value_parser = masks(), default_value = "tokens")]
    mask: Mask,
    /// Write only matching events
    #[arg(long, value_parser = values::filter, allow_hyphen_values = true)]
    filter: Option<Filter>,
}

fn kinds() -> impl TypedValueParser<Value = TextKind> {
    values::named(TextKind::ALL.map(|kind| (kind.slug(), kind.title(), kind)))
}

fn masks() -> impl TypedValueParser<Value = Mask> {
    let help = |mask| match mask {
        Mask::Tokens => "Replace each word with a random one, the same wherever the word occurs",
        Mask::Blank => "Replace letters with x and digits with 0",
    };
    values::named(Mask::ALL.map(|mask| (mask.slug(), help(mask), mask)))
}

impl RedactCommand {
    pub(super) fn run(self, output: &mut Output<'_>, notes: &mut Output<'_>) -> Result<(), Stop> {
        if let Some(out) = &self.out {
            check_output(out, &self.file)?;
        }
        let mut session = open::open(&self.file, None, notes)?;
        let filter = self.filter.unwrap_or_default();
        field_names::check_filter(&mut session, &filter)?;
        let mut kinds = if self.only.is_empty() { TextKind::private() } else { self.only };
        kinds.retain(|kind| !self.keep.contains(kind));
        let redaction =
            Redaction { kinds, fields: self.also, kept_fields: self.keep_field, mask: self.mask, key: random() };
        let Some(out) = self.out else {
            let texts = session.ask(&PrivateTexts { filter, mask: redaction.mask, key: redaction.key })?;
            return print(&texts, &redaction, output);
        };
        excerpt::write(&mut session, &filter, &redaction, &out, output)
    }
}

/// Returns the redaction without options: all private text becomes random words.
pub(super) fn of_all_private_text() -> Redaction {
    Redaction { kinds: TextKind::private(), key: random(), ..Redaction::default() }
}

/// Returns a random number, seeded by the operating system.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

fn print(texts: &protocol::tables::PrivateTexts, redaction: &Redaction, output: &mut Output<'_>) -> Result<(), Stop> {
    let mut rows = Vec::new();
    for kind in TextKind::ALL {
        let (number, examples) = texts.of_kind(kind, EXAMPLES);
        if number == 0 {
            continue;
        }
        let masked = if redaction.kinds.contains(&kind) { "masked" } else { "kept" };
        let examples: Vec<&str> = examples.into_iter().map(|(text, _)| text).collect();
        let examples = examples.join(" · ").chars().take(100).collect::<String>();
        rows.push(vec![kind.slug().to_owned(), count(number), masked.to_owned(), escaped(&examples).into_owned()]);
    }
    let left = |name| (name, Align::Left);
    table(output, &[left("Kind"), ("Texts", Align::Right), left("Default"), left("Examples")], &rows)?;
    line!(output)?;
    line!(output, "Fields")?;
    let fields: Vec<Vec<String>> = (0..texts.kind.len())
        .filter_map(|row| {
            let kind = texts.kind_of(row).filter(|kind| *kind != TextKind::Code)?;
            let field = format!("{}/{}", texts.event.get(row), texts.field.get(row));
            let example: String = texts.example.get(row).chars().take(60).collect();
            let number = count(texts.count.get(row).copied().unwrap_or(0));
            Some(vec![kind.slug().to_owned(), escaped(&field).into_owned(), number, escaped(&example).into_owned()])
        })
        .collect();
    table(output, &[left("Kind"), left("Field"), ("Texts", Align::Right), left("Example")], &fields)?;
    Ok(())
}
