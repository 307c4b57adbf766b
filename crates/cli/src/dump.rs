//! `traceglass dump`: bytes of the file, and what they are.

use super::Stop;
use engine::session::Session;
use engine::session::export::json::Json;
use protocol::tables::{NO_NUMBER, Structure, part};
use std::io::Write;
use std::ops::Range;

/// Bytes of a line.
const LINE: usize = 16;
/// Bytes fetched at a time.
const PAGE: u32 = 1 << 20;

/// Prints bytes as they are, and what each of them is.
pub(super) fn print(session: &Session, range: Range<u64>, json: bool, output: &mut impl Write) -> Result<(), Stop> {
    let range = range.start..range.end.min(session.source().len());
    if json {
        return print_json(session, range, output);
    }
    let mut at = range.start;
    while at < range.end {
        let count = u32::try_from(range.end - at).unwrap_or(PAGE).min(PAGE);
        let bytes = session.file_bytes(at, count)?.bytes;
        for line in bytes.chunks(LINE) {
            writeln!(output, "{}", hex_line(at, line))?;
            at += line.len() as u64;
        }
        if bytes.is_empty() {
            break;
        }
    }
    writeln!(output)?;
    let mut written = Ok(());
    session.parts_in(range, |page, row| {
        if written.is_ok() {
            written = writeln!(output, "{}", text_line(page, row));
        }
    })?;
    Ok(written?)
}

/// "00000040  05 05 01 04 …  |....|".
fn hex_line(offset: u64, bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let text: String = bytes
        .iter()
        .map(|byte| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' })
        .collect();
    format!("{offset:08x}  {:<width$}  |{text}|", hex.join(" "), width = LINE * 3 - 1)
}

fn text_line(page: &Structure, row: usize) -> String {
    let name = match page.item[row] {
        NO_NUMBER => page.name.get(row).to_owned(),
        item => format!("{} {item}", page.name.get(row)),
    };
    let indent = "  ".repeat(page.depth[row] as usize);
    let value = page.value.get(row).replace('\n', " ");
    let line = format!(
        "{:08x} {:>6}  {indent}{name}{}{value}",
        page.offset[row],
        page.bytes[row],
        if value.is_empty() { "" } else { ": " }
    );
    line.trim_end().to_owned()
}

fn print_json(session: &Session, range: Range<u64>, output: &mut impl Write) -> Result<(), Stop> {
    let mut json = Json::default();
    let count = u32::try_from(range.end.saturating_sub(range.start)).unwrap_or(u32::MAX);
    let bytes = session.file_bytes(range.start, count)?.bytes;
    let mut parts = Vec::new();
    session.parts_in(range.clone(), |page, row| parts.push(part_text(page, row)))?;
    json.object(|json| {
        json.key("offset").integer(range.start);
        json.key("bytes").string(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        json.key("parts").array(|json| parts.iter().for_each(|part| json.verbatim(part)));
    });
    json.line();
    Ok(output.write_all(json.as_str().as_bytes())?)
}

/// A part as JSON.
fn part_text(page: &Structure, row: usize) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.key("offset").integer(page.offset[row]);
        json.key("bytes").integer(page.bytes[row]);
        json.key("depth").integer(page.depth[row]);
        json.key("is").string(match page.part[row] {
            part::GROUP => "group",
            part::LEAF | part::FIELD => "leaf",
            part::INHERITED => "as before",
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
