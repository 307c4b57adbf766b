//! Events inside `GCDynamicEvent`, which the GC uses for its own named events
//! (docs/format/runtime-events.md#gc-dynamic-events).

use nettrace::Value;

/// Encoding of a number, little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    U8,
    U16,
    U32,
    U64,
    F32,
}

use Kind::{F32, U8, U16, U32, U64};

impl Kind {
    fn size(self) -> usize {
        match self {
            U8 => 1,
            U16 => 2,
            U32 | F32 => 4,
            U64 => 8,
        }
    }

    /// Reads a number from bytes of sufficient length.
    fn read(self, bytes: &[u8]) -> Value {
        let plain = bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        match self {
            F32 => Value::Float32(f32::from_bits(plain as u32)),
            whole => Value::UInt(plain, whole.size() as u8 * 8),
        }
    }
}

/// Field: name, encoding, unit.
type Field = (&'static str, Kind, &'static str);

/// Layouts by name. Each begins with a version.
const LAYOUTS: [(&str, &[Field]); 6] = [
    (
        "CommittedUsage",
        &[
            ("Version", U16, ""),
            ("TotalCommittedInUse", U64, "B"),
            ("TotalCommittedInGlobalDecommit", U64, "B"),
            ("TotalCommittedInFree", U64, "B"),
            ("TotalCommittedInGlobalFree", U64, "B"),
            ("TotalBookkeepingCommitted", U64, "B"),
        ],
    ),
    (
        "HeapCountTuning",
        &[
            ("Version", U16, ""),
            ("NewHeapCount", U16, ""),
            ("GCIndex", U64, ""),
            ("MedianThroughputCostPercent", F32, "%"),
            ("SmoothedMedianThroughputCostPercent", F32, "%"),
            ("ThroughputCostPercentReductionPerStepUp", F32, "%"),
            ("ThroughputCostPercentIncreasePerStepDown", F32, "%"),
            ("SpaceCostPercentIncreasePerStepUp", F32, "%"),
            ("SpaceCostPercentDecreasePerStepDown", F32, "%"),
        ],
    ),
    (
        "HeapCountSample",
        &[
            ("Version", U16, ""),
            ("GCIndex", U64, ""),
            ("ElapsedTimeBetweenGCs", U64, "µs"),
            ("GCPauseTime", U64, "µs"),
            ("MslWaitTime", U64, "µs"),
        ],
    ),
    (
        "SizeAdaptationTuning",
        &[
            ("Version", U16, ""),
            ("NewHeapCount", U16, ""),
            ("MaxHeapCount", U16, ""),
            ("MinHeapCount", U16, ""),
            ("GCIndex", U64, ""),
            ("TotalSohStableSize", U64, "B"),
            ("MedianThroughputCostPercent", F32, "%"),
            ("ThroughputCostPercentToConsider", F32, "%"),
            ("AroundTargetAccumulation", F32, ""),
            ("RecordedThroughputCostPercentCount", U16, ""),
            ("RecordedThroughputCostPercentSlope", F32, ""),
            ("GCsSinceLastChange", U32, ""),
            ("AggressiveFactor", U8, ""),
            ("ChangeDecision", U16, ""),
            ("AdjustReason", U16, ""),
            ("HeapCountChangeFrequencyFactor", U16, ""),
            ("HeapCountFrequencyReason", U16, ""),
            ("AdjustMetric", U8, ""),
        ],
    ),
    (
        "SizeAdaptationFullGCTuning",
        &[
            ("Version", U16, ""),
            ("NewHeapCount", U16, ""),
            ("GCIndex", U64, ""),
            ("MedianGen2ThroughputCostPercent", F32, "%"),
            ("Gen2sSinceLastChange", U32, ""),
            ("Sample1GCIndexDistance", U32, ""),
            ("Sample1GCPercent", F32, "%"),
            ("Sample2GCIndexDistance", U32, ""),
            ("Sample2GCPercent", F32, "%"),
            ("Sample3GCIndexDistance", U32, ""),
            ("Sample3GCPercent", F32, "%"),
        ],
    ),
    (
        "SizeAdaptationSample",
        &[
            ("Version", U16, ""),
            ("GCIndex", U64, ""),
            ("ElapsedTimeBetweenGCs", U32, "µs"),
            ("GCPauseTime", U32, "µs"),
            ("SohMslWaitTime", U32, "µs"),
            ("UohMslWaitTime", U32, "µs"),
            ("TotalSohStableSize", U64, "B"),
            ("Gen0BudgetPerHeap", U32, "B"),
        ],
    ),
];

/// Field of an event inside `GCDynamicEvent`.
#[derive(Clone, PartialEq, Debug)]
pub struct DynamicField {
    pub name: &'static str,
    pub value: Value,
    /// Unit; may be empty.
    pub unit: &'static str,
}

/// Returns the fields of an event by its name and data, and the bytes after them, which newer runtimes may add. `None`
/// if the name is unknown, or the data is shorter than the layout.
pub fn dynamic_fields<'d>(name: &str, data: &'d [u8]) -> Option<(Vec<DynamicField>, &'d [u8])> {
    let (_, layout) = LAYOUTS.iter().find(|(known, _)| *known == name)?;
    let mut rest = data;
    let mut fields = Vec::with_capacity(layout.len());
    for &(name, kind, unit) in *layout {
        let (bytes, behind) = rest.split_at_checked(kind.size())?;
        rest = behind;
        fields.push(DynamicField { name, value: kind.read(bytes), unit });
    }
    Some((fields, rest))
}

/// Returns the version, with which the data of every event begins.
pub fn dynamic_version(data: &[u8]) -> Option<u16> {
    data.first_chunk().map(|version| u16::from_le_bytes(*version))
}

/// Returns the version and the five sizes of a `CommittedUsage` event; `None` for other names and shorter data.
pub fn committed_usage(name: &str, data: &[u8]) -> Option<Vec<(&'static str, u64)>> {
    let (fields, _) = dynamic_fields(name, data).filter(|_| name == "CommittedUsage")?;
    let number = |value: Value| if let Value::UInt(number, _) = value { number } else { 0 };
    Some(fields.into_iter().map(|field| (field.name, number(field.value))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_have_runtime_sizes() {
        let sizes = LAYOUTS.map(|(name, fields)| (name, fields.iter().map(|(_, kind, _)| kind.size()).sum::<usize>()));
        let expected = [
            ("CommittedUsage", 42),
            ("HeapCountTuning", 36),
            ("HeapCountSample", 34),
            ("SizeAdaptationTuning", 56),
            ("SizeAdaptationFullGCTuning", 44),
            ("SizeAdaptationSample", 38),
        ];
        assert_eq!(sizes, expected);
    }

    #[test]
    fn longer_data_keeps_known_fields_and_shorter_data_has_none() {
        let mut data = vec![1, 0];
        data.extend(16u64.to_le_bytes());
        data.extend([56_580u32, 19_129, 0, 7].into_iter().flat_map(u32::to_le_bytes));
        data.extend(48_400_000u64.to_le_bytes());
        data.extend(52_200_000u32.to_le_bytes());
        let found = |data: &[u8]| {
            let (fields, rest) = dynamic_fields("SizeAdaptationSample", data)?;
            let values: Vec<(&str, Value)> = fields.into_iter().map(|field| (field.name, field.value)).collect();
            Some((values, rest.len()))
        };
        let (whole, rest) = found(&data).expect("fields");
        assert_eq!((whole[1].clone(), rest), (("GCIndex", Value::UInt(16, 64)), 0));
        assert_eq!(whole[7], ("Gen0BudgetPerHeap", Value::UInt(52_200_000, 32)));
        assert_eq!(found(&[data.as_slice(), &[9; 3]].concat()), Some((whole, 3)));
        assert!((0..data.len()).all(|length| found(&data[..length]).is_none()));
        assert_eq!(dynamic_fields("NewThing", &data), None);
    }

    #[test]
    fn percentages_decode_as_single_precision() {
        let data: Vec<u8> =
            [1, 0, 4, 0].into_iter().chain([0; 8]).chain(9.25f32.to_le_bytes()).chain([0; 28]).collect();
        let (fields, _) = dynamic_fields("SizeAdaptationFullGCTuning", &data).expect("fields");
        assert_eq!((fields[3].value.clone(), fields[3].unit), (Value::Float32(9.25), "%"));
        assert_eq!((dynamic_version(&data), dynamic_version(&data[..1])), (Some(1), None));
    }
}
