//! Comparison of the payloads of an event type with its schema.

use super::types::{EventType, SchemaSource};
use nettrace::{Field, FieldType, Fit};
use protocol::format;
use serde::{Deserialize, Serialize};

/// Number of payloads of a type that are all compared. Afterwards, one in [`STRIDE`] is compared.
const ALL_COMPARED: u64 = 256;
const STRIDE: u64 = 64;
/// Number of fields above which fewer payloads of a type are compared, so that a crafted file can't slow down loading.
const FIELDS: u64 = 64;

/// Payloads that are longer than declared, or shorter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Misfits {
    pub events: u64,
    /// Minimum difference in bytes.
    pub least: u64,
    /// Maximum difference in bytes.
    pub most: u64,
}

impl Misfits {
    fn add(&mut self, bytes: u64) {
        self.least = if self.events == 0 { bytes } else { self.least.min(bytes) };
        self.most = self.most.max(bytes);
        self.events += 1;
    }

    /// Describes the misfits: "4 bytes longer than declared", "1 to 3 bytes longer than declared in 7 of 256 events".
    fn words(&self, direction: &str, of: u64) -> Option<String> {
        let bytes = match (self.least, self.most) {
            _ if self.events == 0 => return None,
            (least, most) if least == most => format::counted(most, "byte"),
            (least, most) => format!("{} to {}", format::count(least), format::counted(most, "byte")),
        };
        let part = if self.events < of {
            format!(" in {} of {}", format::count(self.events), format::counted(of, "event"))
        } else {
            String::new()
        };
        Some(format!("{bytes} {direction} than declared{part}"))
    }
}

/// Result of comparing the payloads of an event type with its schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SchemaFit {
    /// Number of events whose fit depends on more than their size.
    seen: u64,
    /// Number of events that were decoded and compared; 0 if sizes alone determine the fit.
    compared: u64,
    /// Payloads that are longer than declared.
    pub more: Misfits,
    /// Payloads that are shorter than declared.
    pub fewer: Misfits,
    /// Number of unreadable payloads of the declared size.
    pub unreadable: u64,
    /// By field, for the first 64: bit set if its values are inferred in some events.
    inferred: u64,
}

impl SchemaFit {
    /// Returns whether all compared payloads fit exactly.
    pub fn is_exact(&self) -> bool {
        self.more.events + self.fewer.events + self.unreadable == 0
    }

    /// Describes the differences, for `count` events of the type; empty if there are none.
    pub fn words(&self, count: u64) -> String {
        let of = if self.compared == 0 { count } else { self.compared };
        let unreadable = (self.unreadable > 0)
            .then(|| format!("unreadable in {} of {}", format::count(self.unreadable), format::counted(of, "event")));
        let parts = [self.more.words("longer", of), self.fewer.words("shorter", of), unreadable];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// Returns whether to decode the next payload of a type with a number of fields.
    fn samples_next(&mut self, fields: u32) -> bool {
        self.seen += 1;
        let thinning = (u64::from(fields) / FIELDS).max(1);
        self.seen <= (ALL_COMPARED / thinning).max(1) || self.seen.is_multiple_of(STRIDE.saturating_mul(thinning))
    }

    /// Returns the positions of those to decode among the next payloads of a type with a number of fields.
    fn samples_among(&mut self, count: usize, fields: u32) -> impl Iterator<Item = usize> + use<> {
        let (seen, thinning) = (self.seen, (u64::from(fields) / FIELDS).max(1));
        self.seen += count as u64;
        let (all, stride) = ((ALL_COMPARED / thinning).max(1), STRIDE.saturating_mul(thinning));
        let first = (seen.max(all) / stride + 1).saturating_mul(stride);
        let thinned = (first..=self.seen).step_by(usize::try_from(stride).unwrap_or(usize::MAX));
        (seen + 1..=self.seen.min(all)).chain(thinned).map(move |number| (number - seen - 1) as usize)
    }

    fn add(&mut self, fit: &Fit) {
        self.note_inferred(fit);
        match fit.difference {
            1.. => self.more.add(fit.difference.unsigned_abs()),
            ..0 => self.fewer.add(fit.difference.unsigned_abs()),
            0 => self.unreadable += u64::from(!fit.is_exact()),
        }
    }

    fn note_inferred(&mut self, fit: &Fit) {
        self.inferred |= fit.inferred.iter().filter(|at| **at < 64).fold(0, |bits, at| bits | 1 << at);
    }
}

/// Describes the inferred fields: "; field “Ids” is inferred"; empty if there are none. The unnamed field around a
/// self-describing payload is "values".
pub fn inferred_words(fields: &[&str]) -> String {
    let names: Vec<&str> = fields.iter().map(|name| if name.is_empty() { "values" } else { name }).collect();
    match names.as_slice() {
        [] => String::new(),
        ["values"] => "; values are inferred".to_owned(),
        [name] => format!("; field “{name}” is inferred"),
        names => format!("; fields “{}” are inferred", names.join("”, “")),
    }
}

/// Payload size of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PayloadSize {
    /// No declared fields.
    Undescribed,
    /// Same size for all payloads.
    Fixed {
        /// Size in bytes.
        bytes: u32,
        /// Number of fields, including those in structures.
        fields: u32,
    },
    /// Size that only decoding reveals.
    Variable {
        /// Number of fields, including those in structures.
        fields: u32,
    },
}

impl PayloadSize {
    /// Returns whether a payload of this size must be compared with the schema.
    #[inline]
    pub fn may_misfit(self, bytes: usize) -> bool {
        match self {
            Self::Undescribed => false,
            Self::Fixed { bytes: described, .. } => bytes != described as usize,
            Self::Variable { .. } => true,
        }
    }

    /// Returns the payload size of these fields.
    pub fn of(fields: &[Field], pointer_size: u8) -> Self {
        let has_references =
            fields.iter().any(|field| matches!(field.field_type, FieldType::RelLoc(_) | FieldType::DataLoc(_)));
        let bytes = fields.iter().try_fold(0usize, |sum, field| {
            sum.checked_add(field.field_type.fixed_bytes(pointer_size)?) //
        });
        let count = field_count(fields);
        match bytes.and_then(|bytes| u32::try_from(bytes).ok()) {
            _ if fields.is_empty() => Self::Undescribed,
            Some(bytes) if !has_references => Self::Fixed { bytes, fields: count },
            _ => Self::Variable { fields: count },
        }
    }
}

fn field_count(fields: &[Field]) -> u32 {
    fields.iter().fold(0, |sum: u32, field| {
        let inner = if let FieldType::Object(inner) = &field.field_type { field_count(inner) } else { 0 };
        sum.saturating_add(1).saturating_add(inner)
    })
}

impl EventType {
    /// Compares a payload with the schema. A payload that ends before a field of the built-in manifest is from an older
    /// version of the event, and fits.
    pub fn fit_of(&self, payload: &[u8], pointer_size: u8) -> Fit {
        let fit = Fit::of(&self.schema.fields, payload, pointer_size);
        let is_older = self.schema.source == SchemaSource::Manifest && fit.missing_fields > 0;
        if is_older { Fit::default() } else { fit }
    }

    /// Describes the differences of the payloads from the schema; empty if there are none.
    pub fn fit_words(&self) -> String {
        let bits = (0..64).zip(&self.schema.fields).filter(|(at, _)| self.fit.inferred >> at & 1 == 1);
        let names: Vec<&str> = bits.map(|(_, field)| field.name.as_str()).collect();
        let mut words = self.fit.words(self.count);
        words += &inferred_words(&names);
        words
    }

    /// Compares a payload whose size may differ from the schema's.
    pub(crate) fn compare(&mut self, size: PayloadSize, payload: &[u8], pointer_size: u8) {
        if let Some(decoded) = self.compare_size(size, payload.len()) {
            let fit = self.fit_of(payload, pointer_size);
            self.add_fit(decoded, &fit);
        }
    }

    /// Compares the size of a payload. Returns what to learn from its fit, if it must be decoded.
    pub(crate) fn compare_size(&mut self, size: PayloadSize, length: usize) -> Option<Decoded> {
        let length = length as u64;
        match size {
            PayloadSize::Undescribed => None,
            PayloadSize::Fixed { bytes, .. } if length > bytes.into() => {
                self.fit.more.add(length - u64::from(bytes));
                None
            }
            PayloadSize::Fixed { bytes, fields } if self.schema.source == SchemaSource::File => {
                self.fit.fewer.add(u64::from(bytes).saturating_sub(length));
                self.fit.samples_next(fields).then_some(Decoded::Inferred)
            }
            // Types of the built-in manifest have few fields.
            PayloadSize::Fixed { .. } => Some(Decoded::Everything),
            PayloadSize::Variable { fields } => {
                let is_sampled = self.fit.samples_next(fields);
                self.fit.compared += u64::from(is_sampled);
                is_sampled.then_some(Decoded::Everything)
            }
        }
    }

    /// Compares the sizes of payloads. Calls `decode` with the position of each that must be decoded.
    pub(crate) fn compare_sizes(&mut self, size: PayloadSize, lengths: &[u32], mut decode: impl FnMut(usize, Decoded)) {
        if let PayloadSize::Variable { fields } = size {
            for at in self.fit.samples_among(lengths.len(), fields) {
                self.fit.compared += 1;
                decode(at, Decoded::Everything);
            }
        } else {
            for (at, &length) in lengths.iter().enumerate() {
                if let Some(decoded) = self.compare_size(size, length as usize) {
                    decode(at, decoded);
                }
            }
        }
    }

    /// Adds the fit of a payload. The order of payloads doesn't matter.
    pub(crate) fn add_fit(&mut self, decoded: Decoded, fit: &Fit) {
        match decoded {
            Decoded::Inferred => self.fit.note_inferred(fit),
            Decoded::Everything => self.fit.add(fit),
        }
    }
}

/// What decoding a payload tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Decoded {
    /// Only inferred fields; its size tells the rest.
    Inferred,
    Everything,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misfits_are_described_in_words() {
        let mut fit = SchemaFit::default();
        assert_eq!((fit.is_exact(), fit.words(7)), (true, String::new()));
        fit.add(&Fit { difference: 4, unread: 4..8, ..Fit::default() });
        assert_eq!(fit.words(1), "4 bytes longer than declared");
        assert_eq!(fit.words(7), "4 bytes longer than declared in 1 of 7 events");
        fit.add(&Fit { difference: 1, unread: 4..5, ..Fit::default() });
        fit.add(&Fit { difference: -1, ..Fit::default() });
        fit.add(&Fit { unread: 0..4, ..Fit::default() });
        let words = "1 to 4 bytes longer than declared in 2 of 4 events; 1 byte shorter than declared in 1 of 4 events; \
                     unreadable in 1 of 4 events";
        assert_eq!((fit.is_exact(), fit.words(4)), (false, words.to_owned()));
    }

    #[test]
    fn payload_size_of_fixed_fields_is_fixed() {
        let fields = |types: &[FieldType]| types.iter().map(|one| Field::new("", one.clone())).collect::<Vec<_>>();
        let size = |types: &[FieldType]| PayloadSize::of(&fields(types), 8);
        assert_eq!(size(&[]), PayloadSize::Undescribed);
        assert_eq!(size(&[FieldType::Int32, FieldType::Pointer]), PayloadSize::Fixed { bytes: 12, fields: 2 });
        assert_eq!(size(&[FieldType::Int32, FieldType::Utf16String]), PayloadSize::Variable { fields: 2 });
        assert_eq!(size(&[FieldType::RelLoc(Box::new(FieldType::UInt8))]), PayloadSize::Variable { fields: 1 });
    }

    #[test]
    fn types_with_many_fields_are_compared_rarely() {
        let compared = |fields| {
            let mut fit = SchemaFit::default();
            (0..100_000).filter(|_| fit.samples_next(fields)).count()
        };
        assert_eq!([compared(3), compared(64), compared(6400), compared(1 << 20)], [1814, 1814, 17, 1]);
    }

    #[test]
    fn same_payloads_are_compared_one_by_one_and_together() {
        for fields in [0, 64, 200, 6400, 1 << 20, u32::MAX] {
            let (mut one_by_one, mut together) = (SchemaFit::default(), SchemaFit::default());
            for count in [0, 1, 3, 250, 1, 1, 1, 1, 64, 1000, 63, 64, 65, 20_000] {
                let expected: Vec<usize> = (0..count).filter(|_| one_by_one.samples_next(fields)).collect();
                assert_eq!(together.samples_among(count, fields).collect::<Vec<_>>(), expected);
            }
            assert_eq!(one_by_one, together);
        }
    }
}
