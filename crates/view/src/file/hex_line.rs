//! Lines of bytes as hexadecimal digits and as text, in stretches that look alike.

use protocol::tables::{Structure, part};
use std::ops::Range;

/// Bytes of a line.
pub const LINE_BYTES: u64 = 16;

/// A leaf of the structure, as far as its bytes are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Its first byte.
    pub start: u64,
    /// Behind its last byte.
    pub end: u64,
    /// One of [`part`].
    pub part: u8,
    /// Neighbours differ in it.
    pub is_odd: bool,
    /// Its row in its table.
    pub row: u32,
    /// Which of the tables.
    pub table: u32,
}

/// The leaves of a stretch of the file, with what is known of each.
#[derive(Clone, Default)]
pub struct Leaves {
    leaves: Vec<Leaf>,
    tables: Vec<Structure>,
}

impl Leaves {
    /// Adds the leaves of a piece; pieces follow one another.
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

    /// Leaves that were there before look as they did.
    pub fn looking_like(mut self, before: &Self) -> Self {
        let shared = self.leaves.iter().find_map(|leaf| Some((leaf.is_odd, before.at(leaf.start)?.is_odd)));
        if shared.is_some_and(|(now, then)| now != then) {
            self.leaves.iter_mut().for_each(|leaf| leaf.is_odd = !leaf.is_odd);
        }
        self
    }

    /// The leaf that a byte belongs to.
    pub fn at(&self, offset: u64) -> Option<&Leaf> {
        let after = self.leaves.partition_point(|leaf| leaf.start <= offset);
        self.leaves.get(after.checked_sub(1)?).filter(|leaf| offset < leaf.end)
    }

    /// Returns the table of a leaf, and the leaf's row there.
    pub fn row_of(&self, leaf: &Leaf) -> Option<(&Structure, usize)> {
        Some((self.tables.get(leaf.table as usize)?, leaf.row as usize))
    }
}

/// What stands out in lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lit {
    /// The byte that has the keyboard's attention.
    pub cursor: u64,
    /// The selected bytes: first, and behind the last.
    pub selected: (u64, u64),
    /// Those under the pointer.
    pub hovered: (u64, u64),
}

/// Bytes that look alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Classes.
    pub class: String,
    /// As digits, with spaces between bytes.
    pub digits: String,
    /// As text.
    pub text: String,
}

/// The bytes from `offset` on, at most a line, in runs.
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

/// A byte as text.
pub fn printable(byte: u8) -> char {
    if byte.is_ascii_graphic() || byte == b' ' { char::from(byte) } else { '·' }
}

/// Bytes as digits, "90 1F 00 00"; of many only the first.
pub fn digits(bytes: &[u8], most: usize) -> String {
    let shown: Vec<String> = bytes.iter().take(most).map(|byte| format!("{byte:02X}")).collect();
    format!("{}{}", shown.join(" "), if bytes.len() > most { " …" } else { "" })
}

/// Which byte of a line of digits stands at a share of its width, `0.0..1.0`.
pub fn byte_at(share: f64, is_text: bool) -> u64 {
    let columns = if is_text { LINE_BYTES as f64 } else { LINE_BYTES as f64 * 3.0 - 1.0 };
    let column = (share * columns).max(0.0);
    let byte = if is_text { column } else { (column + 0.5) / 3.0 };
    (byte as u64).min(LINE_BYTES - 1)
}

/// The lines with a range of bytes.
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
    fn bytes_of_a_leaf_are_a_run_and_what_is_lit_stands_out() {
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
    fn a_leaf_keeps_its_look_when_others_come_before_it() {
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
    fn a_place_in_a_line_leads_to_a_byte() {
        let digits = |column: f64| byte_at(column / 47.0, false);
        assert_eq!([0.0, 1.9, 2.4, 2.6, 5.0, 46.9].map(digits), [0, 0, 0, 1, 1, 15]);
        assert_eq!([0.1, 1.0, 15.9, 20.0].map(|column| byte_at(column / 16.0, true)), [0, 1, 15, 15]);
        assert_eq!(lines_of(15..33), 0..3);
        assert_eq!(super::digits(&[1, 2, 3], 2), "01 02 …");
    }
}
