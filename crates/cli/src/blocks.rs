//! `traceglass blocks`: lists the blocks of a file, and the bytes of each kind of content.

use super::text::{Align, Output, line, seconds, table};
use super::{Stop, open};
use engine::session::Session;
use engine::session::export::json::Json;
use protocol::base::time::Nanos;
use protocol::format;
use protocol::request::SectionFilter;
use protocol::tables::{Costs, NO_NUMBER, NO_TIME, Sections, compression, cost, section_kind};
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
        rows.extend((0..page.offset.len()).map(|row| text_row(page, row)));
        Ok(())
    })?;
    let columns = [
        ("Offset", Align::Right),
        ("Bytes", Align::Right),
        ("Kind", Align::Left),
        ("Items", Align::Right),
        ("Headers", Align::Left),
        ("Times", Align::Left),
        ("Declared times", Align::Left),
        ("Threads", Align::Right),
        ("", Align::Left),
    ];
    table(output, &columns, &rows)?;
    print_costs(&session.costs(), output)
}

fn each_page(session: &Session, mut visit: impl FnMut(&Sections) -> Result<(), Stop>) -> Result<(), Stop> {
    let mut first = 0;
    loop {
        let page = session.sections(SectionFilter::default(), first, BLOCKS_PER_PAGE);
        if page.offset.is_empty() {
            return Ok(());
        }
        visit(&page)?;
        first += page.offset.len() as u64;
    }
}

fn text_row(page: &Sections, row: usize) -> Vec<String> {
    let time = |at: i64| if at == NO_TIME { String::new() } else { seconds(Nanos(at)) };
    let span = |first: i64, last: i64| match (first, last) {
        (NO_TIME, NO_TIME) => String::new(),
        (first, NO_TIME) => time(first),
        (first, last) => format!("{} to {}", time(first), time(last)),
    };
    let counted = |number: u32| if number == 0 { String::new() } else { format::count(number.into()) };
    let first_number = page.first_number[row];
    let note = match first_number {
        NO_NUMBER => page.problem.get(row).to_owned(),
        first => format!("{first} to {}", u64::from(first) + u64::from(page.items[row]).saturating_sub(1)),
    };
    vec![
        page.offset[row].to_string(),
        format::count(page.bytes[row]),
        section_kind::name(page.kind[row]).to_owned(),
        counted(page.items[row]),
        match page.compression[row] {
            compression::COMPRESSED => "compressed".to_owned(),
            compression::FIXED => "fixed".to_owned(),
            _ => String::new(),
        },
        span(page.first[row], page.last[row]),
        span(page.declared_first[row], page.declared_last[row]),
        counted(page.threads[row]),
        note,
    ]
}

fn print_costs(costs: &Costs, output: &mut Output<'_>) -> Result<(), Stop> {
    let rows_of = |kinds: &[u8]| -> Vec<Vec<String>> {
        let rows = (0..costs.of.len()).filter(|row| kinds.contains(&costs.of[*row]));
        let text = |row: usize| {
            let name = match (costs.of[row], costs.event.get(row)) {
                (cost::REST, _) => format!("({}, not events)", costs.name.get(row)),
                (_, "") => costs.name.get(row).to_owned(),
                (_, event) => format!("{}/{event}", costs.name.get(row)),
            };
            let share = costs.bytes[row] as f64 * 100.0 / costs.file_bytes[0].max(1) as f64;
            vec![
                name,
                format::count(costs.count[row]),
                format::count(costs.header_bytes[row]),
                format::count(costs.payload_bytes[row]),
                format::count(costs.description_bytes[row]),
                format::count(costs.padding_bytes[row]),
                format::count(costs.bytes[row]),
                format!("{share:.2}%"),
            ]
        };
        rows.map(text).collect()
    };
    let parts: [(&str, &str, &[u8]); 4] = [
        ("Block kinds", "Blocks", &[cost::PIECES]),
        ("Providers", "Events", &[cost::PROVIDER, cost::REST]),
        ("Event types", "Events", &[cost::EVENT_TYPE, cost::REST]),
        ("Threads (events only)", "Events", &[cost::THREAD]),
    ];
    for (title, counted, kinds) in parts {
        line!(output)?;
        let columns = [
            (title, Align::Left),
            (counted, Align::Right),
            ("Headers", Align::Right),
            ("Payloads", Align::Right),
            ("Metadata", Align::Right),
            ("Padding", Align::Right),
            ("Bytes", Align::Right),
            ("Share", Align::Right),
        ];
        table(output, &columns, &rows_of(kinds))?;
    }
    line!(output)?;
    let share = |(name, bytes): (&str, u64)| {
        vec![name.to_owned(), format::count(bytes), format::percent(bytes as f64, costs.file_bytes[0] as f64)]
    };
    let columns = [("Bytes used for", Align::Left), ("Bytes", Align::Right), ("Share", Align::Right)];
    table(output, &columns, &costs.shares().map(share))?;
    if let Some(words) = costs.compression_words() {
        line!(output)?;
        line!(output, "{words}")?;
    }
    let file_bytes = format::count(costs.file_bytes[0]);
    line!(output)?;
    Ok(line!(output, "The first three tables each add up to the file size ({file_bytes} bytes).")?)
}

fn print_json(session: &Session, output: &mut Output<'_>) -> Result<(), Stop> {
    let mut json = Json::default();
    let mut sections = Vec::new();
    each_page(session, |page| {
        sections.push(page.clone());
        Ok(())
    })?;
    json.object(|json| {
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
    });
    Ok(output.verbatim(json.as_str()).and_then(|()| output.verbatim("\n"))?)
}

fn section_row(json: &mut Json, session: &Session, page: &Sections, row: usize) {
    json.object(|json| {
        json.key("offset").integer(page.offset[row]);
        json.key("bytes").integer(page.bytes[row]);
        json.key("kind").string(section_kind::name(page.kind[row]));
        json.key("items").integer(page.items[row]);
        if page.compression[row] != compression::NONE {
            json.key("compressed").boolean(page.compression[row] == compression::COMPRESSED);
        }
        for (name, times) in [
            ("firstNs", &page.first),
            ("lastNs", &page.last),
            ("declaredFirstNs", &page.declared_first),
            ("declaredLastNs", &page.declared_last),
        ] {
            if times[row] != NO_TIME {
                json.key(name).integer(times[row]);
            }
        }
        if page.kind[row] == section_kind::EVENTS {
            json.key("threads").integer(page.threads[row]);
            json.key("types").integer(page.types[row]);
        }
        if page.first_number[row] != NO_NUMBER {
            json.key("firstNumber").integer(page.first_number[row]);
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
        if !page.problem.get(row).is_empty() {
            json.key("problem").string(page.problem.get(row));
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
        json.key("count").integer(costs.count[row]);
        json.key("headerBytes").integer(costs.header_bytes[row]);
        json.key("payloadBytes").integer(costs.payload_bytes[row]);
        json.key("descriptionBytes").integer(costs.description_bytes[row]);
        json.key("paddingBytes").integer(costs.padding_bytes[row]);
        json.key("bytes").integer(costs.bytes[row]);
    });
}
