//! Stacks of the events that a query selects, with their weights.

use crate::analysis::intervals::interval_set::Interval;
use crate::analysis::intervals::spans::index::{Family, SpanIndex};
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::samples::index::{Fraction, SampleIndex, is_sample};
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::payload_scan::PayloadScan;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::values::sort_value::FieldPath;
use crate::clr::KnownEvent;
use crate::model::OutOfMemory;
use crate::model::{EventType, Store};
use nettrace::{ByteSource, FieldType, SourceError, Value, decode_field};
use protocol::base::ids::EventId;
use protocol::request::StackSource;

/// Returns whether the events of a type belong to a source.
pub fn is_of(event_type: &EventType, source: &StackSource) -> bool {
    match source {
        StackSource::Samples => is_sample(event_type),
        StackSource::Events(name) => event_type.provider == name.provider && event_type.display_name == name.name,
        StackSource::Everything => event_type.with_stack > 0,
    }
}

/// Returns the stacks of a source with a weight of one each.
///
/// # Errors
/// If there isn't enough memory.
pub fn stacks_of(store: &Store, source: &StackSource) -> Result<SampleIndex, OutOfMemory> {
    match source {
        StackSource::Samples => SampleIndex::build(store),
        StackSource::Events(_) => Ok(SampleIndex::of_events(store, &types_of(store, source), false)),
        StackSource::Everything => Ok(SampleIndex::of_events(store, &types_of(store, source), true)),
    }
}

/// Returns the maximum number of stacks of a source.
pub fn most_stacks(store: &Store, source: &StackSource) -> u64 {
    let kinds = store.types.iter().filter(|kind| is_of(kind, source));
    kinds.map(|kind| if *source == StackSource::Everything { kind.with_stack } else { kind.count }).sum()
}

fn types_of(store: &Store, source: &StackSource) -> TypeSet {
    TypeSet::new(store, |event_type| is_of(event_type, source))
}

/// Returns the payload field with the duration of a source's events in nanoseconds; for a context switch, the off-CPU
/// time.
pub fn time_field(store: &Store, source: &StackSource) -> Option<&'static str> {
    let mut kinds = store.types.iter().filter(|kind| kind.count > 0 && is_of(kind, source)).peekable();
    kinds.peek()?;
    kinds.all(|kind| kind.known == KnownEvent::ContextSwitch).then_some("Value")
}

/// Returns whether a field of this type contains a number that can be summed.
pub fn is_amount(field_type: &FieldType) -> bool {
    use FieldType::*;
    matches!(
        field_type,
        Int8 | UInt8
            | Int16
            | UInt16
            | Int32
            | UInt32
            | Int64
            | UInt64
            | VarInt
            | VarUInt
            | Float32
            | Float64
            | Decimal
    )
}

fn has_fraction(field_type: &FieldType) -> bool {
    matches!(field_type, FieldType::Float32 | FieldType::Float64 | FieldType::Decimal)
}

/// Reads the values of a payload field for all events of a source.
#[derive(Debug)]
pub struct ValueSearch {
    source: StackSource,
    walk: PayloadScan,
    /// By type: path of the field.
    paths: Vec<Option<FieldPath>>,
    fraction: Fraction,
    /// In event order.
    values: Vec<(EventId, u64)>,
}

impl ValueSearch {
    /// Returns a search that has read nothing.
    pub fn new(store: &Store, source: &StackSource, field: &str) -> Self {
        let path_of = |kind: &EventType| FieldPath::find(&kind.schema.fields, field).filter(|_| is_of(kind, source));
        let paths: Vec<Option<FieldPath>> = store.types.iter().map(path_of).collect();
        let has_field = |kind: &EventType| paths.get(kind.id.index()).is_some_and(Option::is_some);
        let fields = store.types.iter().filter(|kind| has_field(kind)).flat_map(|kind| &kind.schema.fields);
        let has_fraction = fields.into_iter().any(|one| one.name == field && has_fraction(&one.field_type));
        Self {
            source: source.clone(),
            walk: PayloadScan::new(store, TypeSet::new(store, has_field), |_| true),
            paths,
            fraction: if has_fraction { Fraction::Millionths } else { Fraction::None },
            values: Vec::new(),
        }
    }

    /// Continues to read for a few milliseconds. Waits for bytes that a source has to fetch if `may_wait`.
    ///
    /// # Errors
    /// If a payload can't be read from the file, or there isn't enough memory.
    pub fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError> {
        let Self { walk, paths, fraction, values, .. } = self;
        let mut is_full = false;
        let step = walk.step(store, source, may_wait, |chunk, row, payload| {
            let kind = chunk.event_type(row);
            let path = paths.get(kind.index()).and_then(Option::as_ref);
            let Some((path, kind)) = path.zip(store.types.get(kind)) else { return };
            let value = decode_field(&kind.schema.fields, payload, store.header.pointer_size, path.index);
            let amount = path.follow(&value).map_or(0, |value| amount_of(value, *fraction));
            is_full |= values.try_reserve(1).is_err();
            if amount > 0 && !is_full {
                values.push((chunk.event_id(row), amount));
            }
        })?;
        if is_full {
            return Err(SourceError::new(
                "Not enough memory to total this many events. Use a filter or a shorter time range.",
            ));
        }
        Ok(step)
    }

    /// Returns the stacks with the values.
    ///
    /// # Errors
    /// If there isn't enough memory.
    pub fn finish(self, store: &Store) -> Result<SampleIndex, OutOfMemory> {
        let mut stacks = stacks_of(store, &self.source)?;
        stacks.give_values(self.fraction, |event| {
            let at = self.values.binary_search_by_key(&event, |value| value.0);
            at.ok().and_then(|at| self.values.get(at)).map_or(0, |value| value.1)
        });
        Ok(stacks)
    }
}

/// Converts a number to a weight of at least 0.
fn amount_of(value: &Value, fraction: Fraction) -> u64 {
    let per_one = fraction.per_one();
    let of_float = |value: f64| (value * per_one as f64).round() as u64;
    match value {
        Value::Int(value, _) => u64::try_from(*value).unwrap_or(0).saturating_mul(per_one),
        Value::UInt(value, _) => value.saturating_mul(per_one),
        Value::Float32(value) => of_float((*value).into()),
        Value::Float64(value) => of_float(*value),
        Value::Decimal(value) if !value.negative => of_float(value.rounded()),
        _ => 0,
    }
}

/// Returns the stacks of events weighted by the durations of the intervals that they start.
///
/// # Errors
/// If there isn't enough memory.
pub fn stacks_with_durations(
    store: &Store,
    source: &StackSource,
    spans: &SpanIndex,
    tracks: &TrackIndex,
) -> Result<SampleIndex, OutOfMemory> {
    let mut stacks = stacks_of(store, source)?;
    stacks.give_values(Fraction::None, |event| {
        let interval = spans.with_event(event).and_then(|(family, at)| interval_of(family, at, spans, tracks));
        let lasts = interval
            .filter(|interval| interval.event == event && interval.is_whole())
            .map_or(0, |interval| interval.duration());
        u64::try_from(lasts).unwrap_or(0)
    });
    Ok(stacks)
}

fn interval_of<'k>(family: Family, at: u32, spans: &'k SpanIndex, tracks: &'k TrackIndex) -> Option<&'k Interval> {
    match family {
        Family::Span => spans.spans().get(at as usize).map(|span| &span.interval),
        paired => tracks.known(paired)?.intervals().get(at as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::filter::select::select;
    use crate::analysis::stacks::call_tree::CallTree;
    use crate::analysis::stacks::sample_choice::ChosenSamples;
    use crate::analysis::stacks::tree_query::{call_nodes, call_tree};
    use crate::analysis::testing::{ORDERS, What, store_of};
    use protocol::base::ids::CallNodeId;
    use protocol::request::{EventName, Filter, SampleChoice, Weight};

    fn placed() -> StackSource {
        StackSource::Events(EventName { provider: ORDERS.to_owned(), name: "OrderPlaced".to_owned() })
    }

    fn tree(store: &Store, bytes: &dyn ByteSource, stacks: &SampleIndex, weight: &Weight) -> CallTree {
        let selection = select(store, bytes, &Filter::default()).unwrap();
        let chosen = ChosenSamples::new(&selection, SampleChoice::All, weight);
        call_tree(stacks, &call_nodes(store), chosen)
    }

    #[test]
    fn payload_field_weights_event_stacks() {
        let (store, bytes) = store_of(&[
            (0, 5, What::Sample(true, vec![1])),
            (10, 5, What::StackedOrder("a", 12, vec![1, 2])),
            (20, 6, What::StackedOrder("b", 30, vec![1, 3])),
            (30, 6, What::StackedOrder("c", -4, vec![1, 3])),
            (40, 6, What::Order("d", 7)),
        ]);
        let mut search = ValueSearch::new(&store, &placed(), "amount");
        while search.step(&store, &bytes, true).unwrap() != Step::Done {}
        let stacks = search.finish(&store).expect("memory");
        let by_amount = tree(&store, &bytes, &stacks, &Weight::Field("amount".to_owned()));
        assert_eq!((by_amount.total(), by_amount.exclusive(CallNodeId(0))), (49, 7), "one of them has no stack");
        assert_eq!(by_amount.inclusive(CallNodeId(1)), 42, "nothing weighs less than nothing");
        assert_eq!(tree(&store, &bytes, &stacks, &Weight::Count).total(), 4);
        let text = ValueSearch::new(&store, &placed(), "sku");
        assert_eq!(
            tree(&store, &bytes, &text.finish(&store).expect("memory"), &Weight::Field("sku".to_owned())).total(),
            0
        );
    }

    #[test]
    fn fractional_numbers_are_counted_in_millionths() {
        let [small, negative] = [0.25, -1.5].map(|value| amount_of(&Value::Float64(value), Fraction::Millionths));
        assert_eq!([small, negative], [250_000, 0]);
        assert_eq!(amount_of(&Value::UInt(u64::MAX, 64), Fraction::Millionths), u64::MAX);
        assert_eq!(amount_of(&Value::Float64(f64::NAN), Fraction::Millionths), 0);
    }
}
