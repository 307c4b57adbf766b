//! `traceglass gc`, `http` and other analyses: prints a report.

use super::arguments::Trace;
use super::text::{Align, Output, line, table};
use super::{Stop, field_names, values};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, FromArgMatches, Subcommand};
use protocol::format::count;
use protocol::queries;
use protocol::request::{Filter, RowOrder, Topic};
use protocol::table::{Cell, CellKind};
use protocol::topics::report::{ColumnHead, ReportHead, ReportRows, TableHead};

#[derive(Args, Debug)]
struct Options {
    #[command(flatten)]
    trace: Trace,
    /// Use only matching events
    #[arg(long, value_parser = values::filter, allow_hyphen_values = true)]
    filter: Option<Filter>,
    /// Print at most N rows per table
    #[arg(long, value_name = "N", value_parser = values::number, default_value = "20")]
    limit: u64,
    /// Print JSON, with all rows
    #[arg(long)]
    json: bool,
}

/// Commands of all analyses, which have the same options.
#[derive(Debug)]
pub struct ReportCommand {
    topic: Topic,
    options: Options,
}

impl Subcommand for ReportCommand {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        Topic::ALL.into_iter().fold(command, |command, topic| {
            command.subcommand(Options::augment_args(clap::Command::new(topic.slug()).about(topic.command())))
        })
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        Topic::from_slug(name).is_some()
    }
}

impl FromArgMatches for ReportCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let chosen = matches.subcommand().and_then(|(name, matches)| Some((Topic::from_slug(name)?, matches)));
        let (topic, matches) = chosen.ok_or_else(|| clap::Error::new(ErrorKind::InvalidSubcommand))?;
        Ok(Self { topic, options: Options::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ReportCommand {
    pub(super) fn run(self, output: &mut Output<'_>, notes: &mut Output<'_>) -> Result<(), Stop> {
        let Options { trace, filter, limit, json } = self.options;
        let filter = filter.unwrap_or_default();
        let mut session = trace.open(notes)?;
        field_names::check_filter(&mut session, &filter)?;
        if json {
            output.verbatim(&session.report_json(self.topic, &filter)?)?;
            return Ok(output.verbatim("\n")?);
        }
        let head = session.ask(&queries::Report { topic: self.topic, filter: filter.clone() })?;
        print_head(&head, output)?;
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        for (at, of) in (0..).zip(&head.tables) {
            let order = RowOrder { table: at, ..RowOrder::default() };
            let rows = queries::ReportRows { topic: self.topic, filter: filter.clone(), order, first: 0, count: limit };
            let page = session.ask(&rows)?;
            print_table(of, &page, output)?;
        }
        Ok(())
    }
}

fn print_head(head: &ReportHead, output: &mut Output<'_>) -> Result<(), Stop> {
    if let Some(missing) = &head.not_recorded {
        line!(output, "Not recorded. {}", missing.words)?;
        return Ok(output.print_lines(&missing.command)?);
    }
    line!(output, "{}", head.verdict)?;
    if !head.explanation.is_empty() {
        line!(output, "{}", head.explanation)?;
    }
    if !head.figures.is_empty() {
        line!(output)?;
    }
    let width = head.figures.iter().map(|figure| figure.name.chars().count()).max().unwrap_or(0);
    for figure in &head.figures {
        let least = if figure.is_minimum { "at least " } else { "" };
        line!(output, "  {:<width$}  {least}{}  {}", figure.name, figure.unit.words(figure.value), figure.note)?;
    }
    Ok(())
}

fn print_table(of: &TableHead, page: &ReportRows, output: &mut Output<'_>) -> Result<(), Stop> {
    let printed = page.event.len();
    let more = of.rows - printed as u64;
    let note = match more {
        0 => String::new(),
        _ => format!(" ({} of {}; --limit N prints more)", count(printed as u64), count(of.rows)),
    };
    line!(output)?;
    line!(output, "{}{note}", of.title)?;
    let columns: Vec<(&str, Align)> = of.columns.iter().map(|one| (one.name.as_str(), Align::of(one.kind))).collect();
    let cell = |row: usize, (at, column): (usize, &ColumnHead)| match page.cell(row, at, column.kind) {
        Cell::Missing(_) if column.kind != CellKind::Text => "–".to_owned(),
        cell => cell.words(column.kind),
    };
    let rows: Vec<Vec<String>> =
        (0..printed).map(|row| of.columns.iter().enumerate().map(|column| cell(row, column)).collect()).collect();
    Ok(table(output, &columns, &rows)?)
}
