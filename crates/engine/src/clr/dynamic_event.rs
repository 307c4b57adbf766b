//! Events inside of an event: what the collector writes as `GCDynamicEvent` under names of its own.

/// The fields of `CommittedUsage` behind its version, in bytes.
const COMMITTED: [&str; 5] = [
    "TotalCommittedInUse",
    "TotalCommittedInGlobalDecommit",
    "TotalCommittedInFree",
    "TotalCommittedInGlobalFree",
    "TotalBookkeepingCommitted",
];

/// The fields of an event of this name with this data: its version and five sizes, if it is `CommittedUsage` (the test of
/// the reference, docs/format/runtime-events.md#gc-dynamic-events). None of other names, and of fewer bytes.
pub fn committed_usage(name: &str, data: &[u8]) -> Option<Vec<(&'static str, u64)>> {
    let (&version, sizes) = data.split_first_chunk::<2>().filter(|_| name == "CommittedUsage")?;
    let sizes = sizes.as_chunks::<8>().0.iter().map(|size| u64::from_le_bytes(*size));
    let mut fields = vec![("Version", u64::from(u16::from_le_bytes(version)))];
    fields.extend(COMMITTED.into_iter().zip(sizes));
    (fields.len() > COMMITTED.len()).then_some(fields)
}
