//! Parser of `profile.proto` of github.com/google/pprof, like that of its tools.

use super::ByDepth;
use std::collections::BTreeSet;

/// Field of a message.
enum Field<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

impl Field<'_> {
    fn number(&self) -> u64 {
        match self {
            Self::Number(number) => *number,
            Self::Bytes(_) => panic!("bytes where a number is due"),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Number(number) => panic!("{number} where bytes are due"),
        }
    }
}

/// Returns the fields of a message with their numbers.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Number(value),
            2 => {
                let (content, rest) = bytes.split_at(value as usize);
                bytes = rest;
                Field::Bytes(content)
            }
            other => panic!("wire type {other}"),
        };
        fields.push((key >> 3, field));
    }
    fields
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().expect("a whole number");
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
    }
    panic!("a number of more than 64 bits");
}

fn packed(mut bytes: &[u8]) -> Vec<u64> {
    let mut numbers = Vec::new();
    while !bytes.is_empty() {
        numbers.push(varint(&mut bytes));
    }
    numbers
}

#[derive(Default)]
struct Sample {
    locations: Vec<u64>,
    values: Vec<u64>,
    label: [u64; 2],
}

#[derive(Default)]
pub struct Profile {
    pub sample_types: Vec<[u64; 2]>,
    samples: Vec<Sample>,
    mappings: BTreeSet<u64>,
    /// ID, mapping, function.
    locations: Vec<[u64; 3]>,
    /// ID, name, system name.
    functions: Vec<[u64; 3]>,
    strings: Vec<String>,
    duration_nanos: u64,
}

impl Profile {
    pub fn decode(bytes: &[u8]) -> Self {
        let mut profile = Self::default();
        for (number, field) in fields(bytes) {
            match number {
                1 => profile.sample_types.push(numbers(field.bytes(), [1, 2])),
                2 => profile.samples.push(sample(field.bytes())),
                3 => assert!(profile.mappings.insert(numbers(field.bytes(), [1])[0]), "a mapping twice"),
                4 => profile.locations.push(location(field.bytes())),
                5 => profile.functions.push(numbers(field.bytes(), [1, 2, 3])),
                6 => profile.strings.push(String::from_utf8(field.bytes().to_vec()).expect("UTF-8")),
                9 => assert!(field.number() > 0, "an hour"),
                10 => profile.duration_nanos = field.number(),
                other => panic!("field {other} of a profile"),
            }
        }
        profile
    }

    pub fn text(&self, string: u64) -> &str {
        &self.strings[string as usize]
    }

    /// Returns one of the values, by thread and depth of stack.
    pub fn by_depth(&self, value: usize) -> ByDepth {
        let mut sums = ByDepth::new();
        for sample in self.samples.iter().filter(|sample| sample.values[value] > 0) {
            let label = sample.label.map(|text| self.text(text));
            assert_eq!(label[0], "thread");
            let thread = label[1].rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0);
            *sums.entry((thread, sample.locations.len())).or_default() += sample.values[value];
        }
        sums
    }

    /// Checks that all references exist, without duplicate IDs, and that the first string is empty.
    pub fn check_references(&self) -> Result<(), String> {
        let ids = |rows: &[[u64; 3]]| rows.iter().map(|row| row[0]).collect::<BTreeSet<u64>>();
        let (locations, functions) = (ids(&self.locations), ids(&self.functions));
        if locations.len() != self.locations.len() || functions.len() != self.functions.len() || locations.contains(&0)
        {
            return Err("an id twice, or 0".to_owned());
        }
        if self.samples.iter().any(|sample| sample.locations.iter().any(|id| !locations.contains(id))) {
            return Err("a location that does not exist".to_owned());
        }
        if self.locations.iter().any(|row| !self.mappings.contains(&row[1]) || !functions.contains(&row[2])) {
            return Err("a location without a function or a mapping".to_owned());
        }
        let named = |row: &[u64; 3]| {
            row[1..].iter().all(|name| self.strings.get(*name as usize).is_some_and(|name| !name.is_empty()))
        };
        if !self.functions.iter().all(named) {
            return Err("a function without a name".to_owned());
        }
        if self.strings.first().is_none_or(|first| !first.is_empty()) || self.duration_nanos == 0 {
            return Err("the first string, or the duration".to_owned());
        }
        Ok(())
    }
}

/// Returns numeric fields; 0 if they are missing.
fn numbers<const N: usize>(bytes: &[u8], wanted: [u64; N]) -> [u64; N] {
    let fields = fields(bytes);
    wanted.map(|wanted| fields.iter().find(|(number, _)| *number == wanted).map_or(0, |(_, field)| field.number()))
}

fn sample(bytes: &[u8]) -> Sample {
    let mut sample = Sample::default();
    for (number, field) in fields(bytes) {
        match number {
            1 => sample.locations = packed(field.bytes()),
            2 => sample.values = packed(field.bytes()),
            3 => sample.label = numbers(field.bytes(), [1, 2]),
            other => panic!("field {other} of a sample"),
        }
    }
    sample
}

fn location(bytes: &[u8]) -> [u64; 3] {
    let mut location = [0; 3];
    for (number, field) in fields(bytes) {
        match number {
            1 => location[0] = field.number(),
            2 => location[1] = field.number(),
            4 => location[2] = numbers(field.bytes(), [1])[0],
            other => panic!("field {other} of a location"),
        }
    }
    location
}
