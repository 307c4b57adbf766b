//! `traceglass dump`: prints bytes of the file with their meaning.

use super::text::{Output, line};
use super::{Stop, open, values};
use engine::session::Session;
use protocol::export::Json;
use protocol::tables::{NO_NUMBER, Structure, part};
use std::ops::Range;
use std::path::PathBuf;

/// Print an annotated hex dump that explains every byte
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceglass dump app.nettrace --offset 0x40 --length 200")]
pub struct DumpCommand {
    /// Trace to read
    file: PathBuf,
    /// Start at this offset: decimal, or hexadecimal with 0x
    #[arg(long, value_name = "N", value_parser = values::bytes)]
    offset: u64,
    /// Print N bytes
    #[arg(long, value_name = "N", value_parser = values::bytes, default_value = "256")]
    length: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl DumpCommand {
    pub(super) fn run(self, output: &mut Output<'_>, notes: &mut Output<'_>) -> Result<(), Stop> {
        let session = open::open(&self.file, None, notes)?;
        let end = self.offset.saturating_add(self.length).min(session.source().len());
        if self.json {
            print_json(&session, self.offset..end, output)
        } else {
            print_text(&session, self.offset..end, output)
        }
    }
}

const BYTES_PER_LINE: usize = 16;
const BYTES_PER_READ: u32 = 1 << 20;

fn print_text(session: &Session, range: Range<u64>, output: &mut Output<'_>) -> Result<(), Stop> {
    let mut at = range.start;
    while at < range.end {
        let count = u32::try_from(range.end - at).unwrap_or(BYTES_PER_READ).min(BYTES_PER_READ);
        let bytes = session.file_bytes(at, count)?.bytes;
        for line in bytes.chunks(BYTES_PER_LINE) {
            line!(output, "{}", hex_line(at, line))?;
            at += line.len() as u64;
        }
        if bytes.is_empty() {
            break;
        }
    }
    line!(output)?;
    let mut written = Ok(());
    session.parts_in(range, |page, row| {
        if written.is_ok() {
            written = line!(output, "{}", text_line(page, row));
        }
    })?;
    Ok(written?)
}

/// Formats a line of a hex dump: "00000040  05 05 01 04 …  |....|".
fn hex_line(offset: u64, bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let text: String = bytes
        .iter()
        .map(|byte| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' })
        .collect();
    format!("{offset:08x}  {:<width$}  |{text}|", hex.join(" "), width = BYTES_PER_LINE * 3 - 1)
}

fn text_line(page: &Structure, row: usize) -> String {
    let name = match page.item[row] {
        NO_NUMBER => page.name.get(row).to_owned(),
        item => format!("{} {item}", page.name.get(row)),
    };
    let indent = "  ".repeat(page.depth[row] as usize);
    let value = page.value.get(row);
    format!(
        "{:08x} {:>6}  {indent}{name}{}{value}",
        page.offset[row],
        page.bytes[row],
        if value.is_empty() { "" } else { ": " }
    )
}

fn print_json(session: &Session, range: Range<u64>, output: &mut Output<'_>) -> Result<(), Stop> {
    let count = u32::try_from(range.end.saturating_sub(range.start)).unwrap_or(u32::MAX);
    let bytes = session.file_bytes(range.start, count)?.bytes;
    let mut parts = Vec::new();
    session.parts_in(range.clone(), |page, row| parts.push(part_text(page, row)))?;
    Ok(output.json(|json| {
        json.key("offset").integer(range.start);
        json.key("bytes").string(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        json.key("parts").array(|json| parts.iter().for_each(|part| json.verbatim(part)));
    })?)
}

fn part_text(page: &Structure, row: usize) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.key("offset").integer(page.offset[row]);
        json.key("bytes").integer(page.bytes[row]);
        json.key("depth").integer(page.depth[row]);
        json.key("is").string(match page.part[row] {
            part::GROUP => "group",
            part::LEAF | part::FIELD => "leaf",
            part::INHERITED => "inherited",
            part::UNKNOWN => "unknown",
            _ => "damage",
        });
        if page.item[row] != NO_NUMBER {
            json.key("item").integer(page.item[row]);
        }
        json.key("name").string(page.name.get(row));
        json.key("value").string(page.value.get(row));
        json.key("section").string(&page.section(row));
        json.key("meaning").string(&page.meaning(row));
    });
    json.as_str().to_owned()
}
