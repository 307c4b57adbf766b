//! Derived payload fields, named as in the reference reader.
//!
//! The reference reader adds fields to the payloads of runtime events: parts of numbers (the tier, three bits of the
//! method's flags), sums, names from other events, and fields of later versions. Exports contain these fields too, so
//! that they can be compared; the page shows payloads unchanged.

use crate::clr::dynamic_fields;
use crate::clr::source_names::{RUNDOWN, RUNTIME};
use nettrace::Value;
use protocol::base::hash::FastMap;
use std::borrow::Cow;

/// Value that the reference reader uses for an unused GC mechanism.
const NO_MECHANISM: u64 = 1024;

/// Named values of a payload.
pub type NamedValues<'n> = Vec<(Cow<'n, str>, Value)>;

/// Adds derived fields to payloads. Events must come in time order.
#[derive(Default)]
pub struct DerivedFields {
    /// Names of types by ID, from the events so far.
    type_names: FastMap<u64, String>,
}

impl DerivedFields {
    /// Returns whether later events depend on the payload, even if it isn't printed.
    pub fn needs(&self, provider: &str, event_id: u32) -> bool {
        provider == RUNTIME && event_id == 15
    }

    /// Adds derived fields to the payload of an event.
    pub fn extend(&mut self, provider: &str, event_id: u32, payload: &mut NamedValues<'_>) {
        match (provider, event_id) {
            (RUNTIME | RUNDOWN, 141..=144) => method(payload),
            (RUNTIME | RUNDOWN, 151..=154) => module(payload),
            (RUNTIME, 4) => heap_stats(payload),
            (RUNTIME, 10) => absent(payload, &["ObjectSize"], Value::UInt(0, 64)),
            (RUNTIME, 15) => self.bulk_type(payload),
            (RUNTIME, 29) => self.finalized(payload),
            (RUNTIME, 39) => dynamic(payload),
            (RUNTIME, 81) => {
                absent(payload, &["LockID", "AssociatedObjectID", "LockOwnerThreadID"], Value::UInt(0, 64));
            }
            (RUNTIME, 91) => absent(payload, &["DurationNs"], Value::Float64(0.0)),
            (RUNTIME, 203) => alias(payload, "JoinID", "ID"),
            (RUNTIME, 204) => per_heap(payload),
            (RUNTIME, 205) => absent(payload, &["CondemnReasons0", "CondemnReasons1", "Count"], Value::Null),
            (RUNTIME, 296) => alias(payload, "HResult", "Result"),
            _ => {}
        }
    }

    /// Adds the first type as separate fields, and stores the names of all types.
    fn bulk_type(&mut self, payload: &mut NamedValues<'_>) {
        let Some(Value::Array(types)) = find(payload, "Values") else { return };
        let mut first = None;
        for one in types {
            let Value::Object(fields) = one else { continue };
            let of = |name: &str| fields.iter().find(|(field, _)| field == name).map(|(_, value)| value);
            let Some(id) = of("TypeID").and_then(number) else { continue };
            let name = of("Name").cloned().unwrap_or(Value::Null);
            if let Value::String(name) = &name {
                self.type_names.insert(id, name.clone());
            }
            first.get_or_insert((id, name));
        }
        if let Some((id, name)) = first {
            payload.push((Cow::Borrowed("TypeID_0"), Value::UInt(id, 64)));
            payload.push((Cow::Borrowed("TypeName_0"), name));
        }
    }

    fn finalized(&self, payload: &mut NamedValues<'_>) {
        let name = find(payload, "TypeID").and_then(number).and_then(|id| self.type_names.get(&id));
        payload.push((Cow::Borrowed("TypeName"), Value::String(name.cloned().unwrap_or_default())));
    }
}

/// Separates the tier (bits 7 to 9 of the flags) from the flags.
fn method(payload: &mut NamedValues<'_>) {
    const TIER_SHIFT: u32 = 7;
    const TIER_MASK: u64 = 7 << TIER_SHIFT;
    absent(payload, &["ReJITID"], Value::UInt(0, 64));
    let Some(flags) = find(payload, "MethodFlags").and_then(number) else { return };
    replace(payload, "MethodFlags", Value::UInt(flags & !TIER_MASK, 32));
    payload.push((Cow::Borrowed("OptimizationTier"), Value::UInt((flags & TIER_MASK) >> TIER_SHIFT, 8)));
}

/// Adds the file name of the path. On Linux, the reference reader splits only at slashes.
fn module(payload: &mut NamedValues<'_>) {
    if let Some(Value::String(path)) = find(payload, "ModuleILPath") {
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        payload.push((Cow::Borrowed("ModuleILFileName"), Value::String(name)));
    }
}

fn heap_stats(payload: &mut NamedValues<'_>) {
    absent(payload, &["GenerationSize4", "TotalPromotedSize4"], Value::UInt(0, 64));
    let of = |generation: u32, what: &str| find(payload, &format!("{what}{generation}")).and_then(number).unwrap_or(0);
    let sum = |what: &str| (0..5).map(|generation| of(generation, what)).fold(0, u64::wrapping_add);
    let (size, promoted) = (sum("GenerationSize"), sum("TotalPromotedSize"));
    let deepest = (1..=2).rev().find(|&generation| of(generation, "TotalPromotedSize") > 0).unwrap_or(0);
    payload.push((Cow::Borrowed("TotalHeapSize"), Value::UInt(size, 64)));
    payload.push((Cow::Borrowed("TotalPromoted"), Value::UInt(promoted, 64)));
    payload.push((Cow::Borrowed("Depth"), Value::UInt(deepest.into(), 32)));
}

/// Replaces mechanisms with their bit numbers. The highest bit marks a used mechanism.
fn per_heap(payload: &mut NamedValues<'_>) {
    for name in ["CompactMechanisms", "ExpandMechanisms", "ConcurrentCompactMechanisms"] {
        if let Some(bits) = find(payload, name).and_then(number) {
            let used = bits >> 31 & 1 == 1 && bits & 0x7fff_ffff != 0;
            let mechanism = if used { bits.trailing_zeros().into() } else { NO_MECHANISM };
            replace(payload, name, Value::UInt(mechanism, 32));
        }
    }
    absent(payload, &["ConcurrentCompactMechanisms", "MemoryPressure"], Value::Null);
}

/// Adds the fields of an event inside a dynamic event: a version and five sizes.
fn dynamic(payload: &mut NamedValues<'_>) {
    let (Some(Value::String(name)), Some(Value::Bytes(data))) = (find(payload, "Name"), find(payload, "Data")) else {
        return;
    };
    let fields = dynamic_fields(name, data).filter(|_| name == "CommittedUsage").map(|(fields, _)| fields);
    payload.extend(fields.into_iter().flatten().map(|field| (Cow::Borrowed(field.name), field.value)));
}

fn find<'p>(payload: &'p NamedValues<'_>, name: &str) -> Option<&'p Value> {
    payload.iter().find(|(field, _)| field == name).map(|(_, value)| value)
}

fn number(value: &Value) -> Option<u64> {
    match *value {
        Value::UInt(number, _) | Value::Pointer(number) => Some(number),
        Value::Int(number, _) => u64::try_from(number).ok(),
        _ => None,
    }
}

fn replace(payload: &mut NamedValues<'_>, name: &str, value: Value) {
    if let Some((_, old)) = payload.iter_mut().find(|(field, _)| field == name) {
        *old = value;
    }
}

/// Adds fields that this version of the event doesn't have.
fn absent(payload: &mut NamedValues<'_>, names: &[&'static str], value: Value) {
    for &name in names {
        match find(payload, name) {
            None => payload.push((Cow::Borrowed(name), value.clone())),
            Some(Value::Null) => replace(payload, name, value.clone()),
            Some(_) => {}
        }
    }
}

fn alias(payload: &mut NamedValues<'_>, name: &str, other: &'static str) {
    if let Some(value) = find(payload, name).cloned() {
        payload.push((Cow::Borrowed(other), value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extended(event_id: u32, fields: &[(&'static str, Value)]) -> NamedValues<'static> {
        let mut payload = fields.iter().map(|(name, value)| (Cow::Borrowed(*name), value.clone())).collect();
        DerivedFields::default().extend(RUNTIME, event_id, &mut payload);
        payload
    }

    #[test]
    fn tier_is_separated_from_flags() {
        let payload = extended(143, &[("MethodFlags", Value::UInt(0x288, 32))]);
        assert_eq!(find(&payload, "MethodFlags"), Some(&Value::UInt(8, 32)));
        assert_eq!(find(&payload, "OptimizationTier"), Some(&Value::UInt(5, 8)));
    }

    #[test]
    fn mechanisms_are_bit_numbers() {
        let fields = [("CompactMechanisms", Value::UInt(0x8000_0008, 32)), ("ExpandMechanisms", Value::UInt(0, 32))];
        let payload = extended(204, &fields);
        assert_eq!(find(&payload, "CompactMechanisms"), Some(&Value::UInt(3, 32)));
        assert_eq!(find(&payload, "ExpandMechanisms"), Some(&Value::UInt(NO_MECHANISM, 32)));
        assert_eq!(find(&payload, "MemoryPressure"), Some(&Value::Null));
    }

    #[test]
    fn finalized_object_has_earlier_type_name() {
        let mut derived = DerivedFields::default();
        let object = || vec![(Cow::Borrowed("TypeID"), Value::UInt(7, 64))];
        let mut before = object();
        derived.extend(RUNTIME, 29, &mut before);
        assert_eq!(find(&before, "TypeName"), Some(&Value::String(String::new())));
        let one = [("TypeID", Value::UInt(7, 64)), ("Name", Value::String("App.Order".to_owned()))];
        let one = Value::Object(one.map(|(name, value)| (name.to_owned(), value)).into());
        derived.extend(RUNTIME, 15, &mut vec![(Cow::Borrowed("Values"), Value::Array(vec![one]))]);
        let mut after = object();
        derived.extend(RUNTIME, 29, &mut after);
        assert_eq!(find(&after, "TypeName"), Some(&Value::String("App.Order".to_owned())));
    }

    /// R5.4, R5.5: the five sizes of the GC's memory, or the unchanged event.
    #[test]
    fn committed_usage_has_five_sizes_or_none() {
        let used = |bytes: usize| {
            let data: Vec<u8> = [1, 0].into_iter().chain((1..=5u64).flat_map(u64::to_le_bytes)).take(bytes).collect();
            extended(39, &[("Name", Value::String("CommittedUsage".to_owned())), ("Data", Value::Bytes(data))])
        };
        let whole = used(42);
        let of = |name| find(&whole, name).and_then(number);
        assert_eq!(
            (of("Version"), of("TotalCommittedInUse"), of("TotalBookkeepingCommitted")),
            (Some(1), Some(1), Some(5))
        );
        assert_eq!(used(41).len(), 2);
    }

    #[test]
    fn heap_sizes_have_sum() {
        let fields = [("GenerationSize0", 5), ("GenerationSize3", 2), ("TotalPromotedSize1", 4)];
        let payload = extended(4, &fields.map(|(name, size)| (name, Value::UInt(size, 64))));
        let of = |name| find(&payload, name).and_then(number);
        assert_eq!((of("TotalHeapSize"), of("TotalPromoted"), of("Depth")), (Some(7), Some(4), Some(1)));
    }
}
