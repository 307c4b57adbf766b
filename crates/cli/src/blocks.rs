//! `traceglass blocks`: lists the blocks of a file, and the bytes of each kind of content.

use super::text::{Align, Output, cell_words, head, line, table};
use super::{Stop, open};
use engine::session::Session;
use protocol::export::{Json, write_cells};
use protocol::file::cost_columns::COST_COLUMNS;
use protocol::file::section_columns::{SECTION_COLUMNS, SECTION_FACTS};
use protocol::format;
use protocol::tables::{Costs, Sections, compression, cost, section_kind};
use std::path::PathBuf;

const BLOCKS_PER_PAGE: u32 = 4096;

/// List the blocks of the file in order, including damaged ranges
///
/// Also prints how many bytes each block kind, provider, event type and thread takes.
#[derive(clap::Args, Debug)]
pub struct BlocksCommand {
    /// Trace to read
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl BlocksCommand {
    pub(super) fn run(self, output: &mut Output<'_>, notes: &mut Output<'_>) -> Result<(), Stop> {
        let session = open::open(&self.file, None, notes)?;
        if self.json { print_json(&session, output) } else { print_text(&session, output) }
    }
}

fn print_text(session: &Session, output: &mut Output<'_>) -> Result<(), Stop> {
    let mut rows = Vec::new();
    each_page(session, |page| {
        let row = |row| SECTION_COLUMNS.iter().map(|one| cell_words(one.kind, &(one.cell)(page, row))).collect();
        rows.extend((0..page.offset.len()).map(row));
        Ok(())
    })?;
    table(output, &SECTION_COLUMNS.each_ref().map(head), &rows)?;
    print_costs(&session.costs(), output)
}

fn each_page(session: &Session, mut visit: impl FnMut(&Sections) -> Result<(), Stop>) -> Result<(), Stop> {
    let mut first = 0;
    loop {
        let page = session.sections(first, BLOCKS_PER_PAGE);
        if page.offset.is_empty() {
            return Ok(());
        }
        visit(&page)?;
        first += page.offset.len() as u64;
    }
}

fn print_costs(costs: &Costs, output: &mut Output<'_>) -> Result<(), Stop> {
    let file_bytes = costs.file_bytes[0];
    let share = |bytes: u64| format!("{:.2}%", bytes as f64 * 100.0 / file_bytes.max(1) as f64);
    let rows_of = |kinds: &[u8]| -> Vec<Vec<String>> {
        let rows = (0..costs.of.len()).filter(|row| kinds.contains(&costs.of[*row]));
        let text = |row: usize| {
            let name = match (costs.of[row], costs.event.get(row)) {
                (cost::REST, _) => format!("({}, not events)", costs.name.get(row)),
                (_, "") => costs.name.get(row).to_owned(),
                (_, event) => format!("{}/{event}", costs.name.get(row)),
            };
            let sizes = costs.sizes(row);
            let cells = COST_COLUMNS.iter().map(|column| cell_words(column.kind, &(column.cell)(&sizes, 0)));
            std::iter::once(name).chain(cells).chain([share(sizes.bytes)]).collect()
        };
        rows.map(text).collect()
    };
    let parts: [(&str, &[u8]); 4] = [
        ("Block kinds", &[cost::PIECES]),
        ("Providers", &[cost::PROVIDER, cost::REST]),
        ("Event types", &[cost::EVENT_TYPE, cost::REST]),
        ("Threads (events only)", &[cost::THREAD]),
    ];
    for (title, kinds) in parts {
        line!(output)?;
        let mut columns = vec![(title, Align::Left)];
        columns.extend(COST_COLUMNS.iter().map(head));
        columns.push(("Share", Align::Right));
        table(output, &columns, &rows_of(kinds))?;
    }
    line!(output)?;
    let share = |(name, bytes): (&str, u64)| {
        vec![name.to_owned(), format::count(bytes), format::percent(bytes as f64, file_bytes as f64)]
    };
    let columns = [("Bytes used for", Align::Left), ("Bytes", Align::Right), ("Share", Align::Right)];
    table(output, &columns, &costs.shares().map(share))?;
    if let Some(words) = costs.compression_words() {
        line!(output)?;
        line!(output, "{words}")?;
    }
    line!(output)?;
    Ok(line!(output, "The first three tables each add up to the file size ({} bytes).", format::count(file_bytes))?)
}

fn print_json(session: &Session, output: &mut Output<'_>) -> Result<(), Stop> {
    let mut sections = Vec::new();
    each_page(session, |page| {
        sections.push(page.clone());
        Ok(())
    })?;
    Ok(output.json(|json| {
        json.key("fileBytes").integer(session.file().bytes);
        json.key("pieces").array(|json| {
            sections
                .iter()
                .for_each(|page| (0..page.offset.len()).for_each(|row| section_row(json, session, page, row)));
        });
        let costs = session.costs();
        json.key("costs").array(|json| (0..costs.of.len()).for_each(|row| cost_row(json, &costs, row)));
        if let Some(headers) = costs.compression() {
            json.key("headerCompression").object(|json| {
                json.key("events").integer(headers.events);
                json.key("headerBytes").integer(headers.header_bytes);
                json.key("fullHeaderBytes").integer(headers.full_bytes);
            });
        }
    })?)
}

fn section_row(json: &mut Json, session: &Session, page: &Sections, row: usize) {
    json.object(|json| {
        write_cells(json, SECTION_COLUMNS.iter().chain(&SECTION_FACTS), page, row);
        if page.compression[row] != compression::NONE {
            json.key("compressed").boolean(page.compression[row] == compression::COMPRESSED);
        }
        if page.kind[row] == section_kind::EVENTS {
            json.key("threads").integer(page.threads[row]);
        }
        if page.kind[row] == section_kind::SEQUENCE_POINT {
            json.key("flags").integer(page.flags[row]);
            // An unreadable block has no threads.
            let threads = session.threads_of_point(page.offset[row]).unwrap_or_default();
            json.key("threads").array(|json| {
                for (thread, sequence) in threads {
                    json.object(|json| {
                        json.key("thread").integer(thread);
                        json.key("sequence").integer(sequence);
                    });
                }
            });
        }
    });
}

fn cost_row(json: &mut Json, costs: &Costs, row: usize) {
    json.object(|json| {
        json.key("of").string(match costs.of[row] {
            cost::PIECES => "pieces",
            cost::PROVIDER => "provider",
            cost::EVENT_TYPE => "event",
            cost::THREAD => "thread",
            _ => "rest",
        });
        json.key("name").string(costs.name.get(row));
        if costs.of[row] == cost::EVENT_TYPE {
            json.key("event").string(costs.event.get(row));
        }
        write_cells(json, &COST_COLUMNS, &costs.sizes(row), 0);
    });
}
