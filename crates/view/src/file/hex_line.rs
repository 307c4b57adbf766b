//! Lines of a hex dump as runs of bytes with the same style.

use protocol::tables::{Structure, part};
use std::ops::Range;

pub const LINE_BYTES: u64 = 16;

/// Byte range of a leaf of the structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// First byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
    /// One of [`part`].
    pub part: u8,
    /// Alternates between adjacent leaves, to distinguish them.
    pub is_odd: bool,
    pub row: u32,
    /// Index of the table.
    pub table: u32,
}

/// Leaves of a range of the file, with their tables.
#[derive(Clone, Default)]
pub struct Leaves {
    leaves: Vec<Leaf>,
    tables: Vec<Structure>,
}

impl Leaves {
    /// Adds the leaves of the next part of the range.
    pub fn add(&mut self, table: Structure) {
        let number = self.tables.len() as u32;
        for row in 0..table.offset.len() {
            let is_odd = self.leaves.last().is_some_and(|last| !last.is_odd);
            let (start, part) = (table.offset[row], table.part[row]);
            let end = start + table.bytes[row];
            self.leaves.push(Leaf { start, end, part, is_odd, row: row as u32, table: number });
        }
        self.tables.push(table);
    }

    /// Keeps the alternation of leaves that were present before.
    pub fn looking_like(mut self, before: &Self) -> Self {
        let shared = self.leaves.iter().find_map(|leaf| Some((leaf.is_odd, before.at(leaf.start)?.is_odd)));
        if shared.is_some_and(|(now, then)| now != then) {
            self.leaves.iter_mut().for_each(|leaf| leaf.is_odd = !leaf.is_odd);
        }
        self
    }

    /// Returns the leaf that contains a byte.
    pub fn at(&self, offset: u64) -> Option<&Leaf> {
        let after = self.leaves.partition_point(|leaf| leaf.start <= offset);
        self.leaves.get(after.checked_sub(1)?).filter(|leaf| offset < leaf.end)
    }

    pub fn row_of(&self, leaf: &Leaf) -> Option<(&Structure, usize)> {
        Some((self.tables.get(leaf.table as usize)?, leaf.row as usize))
    }
}

/// Highlighted bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lit {
    /// Byte with the keyboard focus.
    pub cursor: u64,
    /// Selected bytes: first, and offset after the last.
    pub selected: (u64, u64),
    /// Bytes under the pointer.
    pub hovered: (u64, u64),
}

/// Run of bytes with the same style.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// CSS classes.
    pub class: String,
    /// Hexadecimal digits, with spaces between bytes.
    pub digits: String,
    /// The bytes as text.
    pub text: String,
}

/// Returns the runs of the bytes starting at `offset`, at most one line.
pub fn line(offset: u64, bytes: &[u8], leaves: &Leaves, lit: &Lit) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut last: Option<(Option<u64>, String)> = None;
    for (at, byte) in (offset..).zip(bytes) {
        let leaf = leaves.at(at);
        let class = class_of(at, leaf, lit);
        let key = (leaf.map(|leaf| leaf.start), class);
        if last.as_ref() != Some(&key) {
            runs.push(Run { class: key.1.clone(), digits: String::new(), text: String::new() });
            last = Some(key);
        }
        if let Some(run) = runs.last_mut() {
            if !run.digits.is_empty() {
                run.digits.push(' ');
            }
            run.digits.push_str(&format!("{byte:02X}"));
            run.text.push(printable(*byte));
        }
    }
    runs
}

fn class_of(at: u64, leaf: Option<&Leaf>, lit: &Lit) -> String {
    let is_in = |(start, end): (u64, u64)| (start..end).contains(&at);
    let mut class = match leaf {
        None => "none",
        Some(leaf) => match (leaf.part, leaf.is_odd) {
            (part::DAMAGE, _) => "damage",
            (part::FIELD, false) => "p0",
            (part::FIELD, true) => "p1",
            (_, false) => "h0",
            (_, true) => "h1",
        },
    }
    .to_owned();
    for (name, is_so) in [("sel", is_in(lit.selected)), ("hot", is_in(lit.hovered)), ("cur", at == lit.cursor)] {
        if is_so {
            class.push(' ');
            class.push_str(name);
        }
    }
    class
}

/// Returns the character for a byte.
pub fn printable(byte: u8) -> char {
    if byte.is_ascii_graphic() || byte == b' ' { char::from(byte) } else { '·' }
}

/// Returns bytes as digits, "90 1F 00 00", at most the first `most`.
pub fn digits(bytes: &[u8], most: usize) -> String {
    let shown: Vec<String> = bytes.iter().take(most).map(|byte| format!("{byte:02X}")).collect();
    format!("{}{}", shown.join(" "), if bytes.len() > most { " …" } else { "" })
}

/// Returns the index of the byte at a share of a line's width, `0.0..1.0`.
pub fn byte_at(share: f64, is_text: bool) -> u64 {
    let columns = if is_text { LINE_BYTES as f64 } else { LINE_BYTES as f64 * 3.0 - 1.0 };
    let column = (share * columns).max(0.0);
    let byte = if is_text { column } else { (column + 0.5) / 3.0 };
    (byte as u64).min(LINE_BYTES - 1)
}

/// Returns the lines that contain a range of bytes.
pub fn lines_of(bytes: Range<u64>) -> Range<u64> {
    bytes.start / LINE_BYTES..bytes.end.div_ceil(LINE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves() -> Leaves {
        let mut leaves = Leaves::default();
        leaves.add(Structure {
            offset: vec![30, 34, 36],
            bytes: vec![4, 2, 4],
            part: vec![part::LEAF, part::LEAF, part::FIELD],
            ..Structure::default()
        });
        leaves
    }

    #[test]
    fn leaf_bytes_are_one_run_and_highlights_have_classes() {
        let lit = Lit { cursor: 36, selected: (36, 40), hovered: (34, 36) };
        let runs = line(32, b"\x01\x02AB\x90\x1f\0\0Z", &leaves(), &lit);
        let shown: Vec<(&str, &str, &str)> =
            runs.iter().map(|run| (run.class.as_str(), run.digits.as_str(), run.text.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("h0", "01 02", "··"),
                ("h1 hot", "41 42", "AB"),
                ("p0 sel cur", "90", "·"),
                ("p0 sel", "1F 00 00", "···"),
                ("none", "5A", "Z"),
            ]
        );
    }

    #[test]
    fn leaf_keeps_style_when_others_are_added_before() {
        let before = leaves();
        let mut more = Leaves::default();
        more.add(Structure { offset: vec![28], bytes: vec![2], part: vec![part::LEAF], ..Structure::default() });
        more.add(before.tables[0].clone());
        assert_ne!(more.at(34).map(|leaf| leaf.is_odd), before.at(34).map(|leaf| leaf.is_odd));
        let more = more.looking_like(&before);
        assert_eq!(more.at(34).map(|leaf| leaf.is_odd), before.at(34).map(|leaf| leaf.is_odd));
        let leaf = more.at(37).expect("a leaf");
        assert_eq!(more.row_of(leaf).map(|(table, row)| table.offset[row]), Some(36));
        assert!(more.at(40).is_none() && more.at(27).is_none());
    }

    #[test]
    fn byte_is_found_at_position_in_line() {
        let digits = |column: f64| byte_at(column / 47.0, false);
        assert_eq!([0.0, 1.9, 2.4, 2.6, 5.0, 46.9].map(digits), [0, 0, 0, 1, 1, 15]);
        assert_eq!([0.1, 1.0, 15.9, 20.0].map(|column| byte_at(column / 16.0, true)), [0, 1, 15, 15]);
        assert_eq!(lines_of(15..33), 0..3);
        assert_eq!(super::digits(&[1, 2, 3], 2), "01 02 …");
    }
}
