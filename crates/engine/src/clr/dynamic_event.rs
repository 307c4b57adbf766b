//! Events inside `GCDynamicEvent`, which the GC uses for its own named events
//! (docs/format/runtime-events.md#gc-dynamic-events).

use nettrace::Value;

/// Layouts by name: a field as `NAME:ENCODING`, with `:UNIT` if it has one. Each begins with a version. Numbers are
/// little-endian.
const LAYOUTS: [(&str, &str); 6] = [
    (
        "CommittedUsage",
        "Version:u16 TotalCommittedInUse:u64:B TotalCommittedInGlobalDecommit:u64:B TotalCommittedInFree:u64:B
         TotalCommittedInGlobalFree:u64:B TotalBookkeepingCommitted:u64:B",
    ),
    (
        "HeapCountTuning",
        "Version:u16 NewHeapCount:u16 GCIndex:u64 MedianThroughputCostPercent:f32:%
         SmoothedMedianThroughputCostPercent:f32:% ThroughputCostPercentReductionPerStepUp:f32:%
         ThroughputCostPercentIncreasePerStepDown:f32:% SpaceCostPercentIncreasePerStepUp:f32:%
         SpaceCostPercentDecreasePerStepDown:f32:%",
    ),
    ("HeapCountSample", "Version:u16 GCIndex:u64 ElapsedTimeBetweenGCs:u64:µs GCPauseTime:u64:µs MslWaitTime:u64:µs"),
    (
        "SizeAdaptationTuning",
        "Version:u16 NewHeapCount:u16 MaxHeapCount:u16 MinHeapCount:u16 GCIndex:u64 TotalSohStableSize:u64:B
         MedianThroughputCostPercent:f32:% ThroughputCostPercentToConsider:f32:% AroundTargetAccumulation:f32
         RecordedThroughputCostPercentCount:u16 RecordedThroughputCostPercentSlope:f32 GCsSinceLastChange:u32
         AggressiveFactor:u8 ChangeDecision:u16 AdjustReason:u16 HeapCountChangeFrequencyFactor:u16
         HeapCountFrequencyReason:u16 AdjustMetric:u8",
    ),
    (
        "SizeAdaptationFullGCTuning",
        "Version:u16 NewHeapCount:u16 GCIndex:u64 MedianGen2ThroughputCostPercent:f32:% Gen2sSinceLastChange:u32
         Sample1GCIndexDistance:u32 Sample1GCPercent:f32:% Sample2GCIndexDistance:u32 Sample2GCPercent:f32:%
         Sample3GCIndexDistance:u32 Sample3GCPercent:f32:%",
    ),
    (
        "SizeAdaptationSample",
        "Version:u16 GCIndex:u64 ElapsedTimeBetweenGCs:u32:µs GCPauseTime:u32:µs SohMslWaitTime:u32:µs
         UohMslWaitTime:u32:µs TotalSohStableSize:u64:B Gen0BudgetPerHeap:u32:B",
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
    let mut fields = Vec::new();
    for field in layout.split_whitespace() {
        let mut parts = field.split(':');
        let (name, encoding, unit) = (parts.next()?, parts.next()?, parts.next().unwrap_or_default());
        let bits: u8 = encoding.trim_start_matches(['u', 'f']).parse().ok()?;
        let (bytes, behind) = rest.split_at_checked(usize::from(bits / 8))?;
        rest = behind;
        let number = bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        let is_float = encoding.starts_with('f');
        let value = if is_float { Value::Float32(f32::from_bits(number as u32)) } else { Value::UInt(number, bits) };
        fields.push(DynamicField { name, value, unit });
    }
    Some((fields, rest))
}

/// Returns the version, with which the data of every event begins.
pub fn dynamic_version(data: &[u8]) -> Option<u16> {
    data.first_chunk().map(|version| u16::from_le_bytes(*version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_have_runtime_sizes() {
        let size = |name: &str| (0..100).find(|bytes| dynamic_fields(name, &vec![0; *bytes]).is_some());
        let sizes = LAYOUTS.map(|(name, _)| (name, size(name).expect("a layout")));
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
