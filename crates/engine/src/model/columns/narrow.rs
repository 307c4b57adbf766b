//! Columns of a chunk of events, each as narrow as its values allow.
//!
//! Columns are immutable, so copies share their values.

use crate::model::out_of_memory::{OutOfMemory, reserve_exact};
use std::ops::Range;
use std::sync::Arc;

/// Column of IDs or lengths.
///
/// Loops over many rows match once and iterate over the slice: see [`IdColumn::for_each`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IdColumn {
    /// The same value in every row.
    Same(u32),
    /// Values of up to 8 bits.
    Byte(Arc<Vec<u8>>),
    /// Values of up to 16 bits.
    Narrow(Arc<Vec<u16>>),
    /// Other values.
    Wide(Arc<Vec<u32>>),
}

impl IdColumn {
    /// Returns the narrowest column that can hold `values`.
    pub(crate) fn from_values(values: &[u32]) -> Result<Self, OutOfMemory> {
        let first = values.first().copied().unwrap_or(0);
        let (head, pairs, tail) = bytemuck::pod_align_to::<u32, u64>(values);
        let of_ends = head
            .iter()
            .chain(tail)
            .fold([0; 2], |[highest, differing], &value| [highest | value, differing | (value ^ first)]);
        let firsts = u64::from(first) << 32 | u64::from(first);
        let [highest, differing] = pairs
            .iter()
            .fold(of_ends.map(u64::from), |[highest, differing], &pair| [highest | pair, differing | (pair ^ firsts)]);
        if differing == 0 {
            return Ok(Self::Same(first));
        }
        let highest = (highest | highest >> 32) as u32;
        if highest <= u32::from(u8::MAX) {
            return Ok(Self::Byte(Arc::new(narrow::<16, _>(values, |value| value as u8)?)));
        }
        if highest <= u32::from(u16::MAX) {
            return Ok(Self::Narrow(Arc::new(narrow::<4, _>(values, |value| value as u16)?)));
        }
        let mut wide = Vec::new();
        reserve_exact(&mut wide, values.len())?;
        wide.extend_from_slice(values);
        Ok(Self::Wide(Arc::new(wide)))
    }

    /// Returns the narrowest column of parts of columns.
    pub(crate) fn joined(parts: &[IdPart<'_>]) -> Result<Self, OutOfMemory> {
        let mut with_rows = parts.iter().filter(|part| !part.rows.is_empty());
        if let Some(same) = with_rows.next().and_then(IdPart::same)
            && with_rows.all(|part| part.same() == Some(same))
        {
            return Ok(Self::Same(same));
        }
        let most_bits = parts.iter().fold(0, |bits, part| bits | part.most_bits());
        if most_bits <= u32::from(u8::MAX) {
            Joined::of(parts, |value| value as u8)?.narrowest(Self::Byte)
        } else if most_bits <= u32::from(u16::MAX) {
            Joined::of(parts, |value| value as u16)?.narrowest(Self::Narrow)
        } else {
            Joined::of(parts, |value| value)?.narrowest(Self::Wide)
        }
    }

    /// Returns the value of a row of the chunk; 0 past its end.
    #[inline]
    pub fn get(&self, row: usize) -> u32 {
        match self {
            Self::Same(value) => *value,
            Self::Byte(values) => values.get(row).copied().map_or(0, u32::from),
            Self::Narrow(values) => values.get(row).copied().map_or(0, u32::from),
            Self::Wide(values) => values.get(row).copied().unwrap_or(0),
        }
    }

    /// Calls `visit(row, value)` for `rows` of the chunk, matching on the width once.
    #[inline]
    pub fn for_each(&self, rows: Range<usize>, mut visit: impl FnMut(usize, u32)) {
        match self {
            Self::Same(value) => rows.for_each(|row| visit(row, *value)),
            Self::Byte(values) => numbered(values, rows).for_each(|(row, value)| visit(row, value)),
            Self::Narrow(values) => numbered(values, rows).for_each(|(row, value)| visit(row, value)),
            Self::Wide(values) => numbered(values, rows).for_each(|(row, value)| visit(row, value)),
        }
    }

    /// Appends the rows among `rows` whose value is `wanted` to `into`.
    pub fn rows_where(&self, rows: Range<usize>, wanted: &[bool], into: &mut Vec<u32>) {
        let is_wanted = |value: usize| wanted.get(value).copied().unwrap_or(false);
        match self {
            Self::Same(value) if is_wanted(*value as usize) => into.extend(rows.start as u32..rows.end as u32),
            Self::Same(_) => {}
            Self::Byte(values) => {
                // A table of all bytes needs no check of its bounds.
                let wanted: [bool; 256] = std::array::from_fn(is_wanted);
                let is_wanted = |value: u8| wanted[usize::from(value)];
                match few_of(&wanted) {
                    Some(few) => add_where(values, rows, |group| has_any(group, few), is_wanted, into),
                    None => add_where(values, rows, |group| any(group, is_wanted), is_wanted, into),
                }
            }
            Self::Narrow(values) => {
                let is_wanted = |value: u16| is_wanted(value.into());
                add_where(values, rows, |group| any(group, is_wanted), is_wanted, into);
            }
            Self::Wide(values) => {
                let is_wanted = |value: u32| is_wanted(value as usize);
                add_where(values, rows, |group| any(group, is_wanted), is_wanted, into);
            }
        }
    }

    /// Replaces the content of `into` with the values of `rows`.
    pub fn copy_into(&self, rows: Range<usize>, into: &mut Vec<u32>) {
        into.clear();
        match self {
            Self::Same(value) => into.resize(rows.len(), *value),
            Self::Byte(values) => into.extend(numbered(values, rows).map(|(_, value)| value)),
            Self::Narrow(values) => into.extend(numbered(values, rows).map(|(_, value)| value)),
            Self::Wide(values) => into.extend_from_slice(values.get(rows).unwrap_or_default()),
        }
    }

    pub fn heap_bytes(&self) -> u64 {
        match self {
            Self::Same(_) => 0,
            Self::Byte(values) => values.capacity() as u64,
            Self::Narrow(values) => 2 * values.capacity() as u64,
            Self::Wide(values) => 4 * values.capacity() as u64,
        }
    }
}

/// Part of a column.
pub(crate) struct IdPart<'a> {
    pub column: &'a IdColumn,
    pub rows: Range<usize>,
    /// What the values stand for, unknown ones for 0; `None` if for themselves.
    pub numbers: Option<&'a [u32]>,
}

impl IdPart<'_> {
    /// Returns the value of all rows, if the column has only one.
    fn same(&self) -> Option<u32> {
        let IdColumn::Same(value) = self.column else { return None };
        Some(self.numbers.map_or(*value, |numbers| numbers.get(*value as usize).copied().unwrap_or(0)))
    }

    /// Returns all bits that its values may have.
    fn most_bits(&self) -> u32 {
        match (self.numbers, self.column) {
            (Some(numbers), _) => numbers.iter().fold(0, |bits, number| bits | number),
            (None, IdColumn::Same(value)) => *value,
            (None, IdColumn::Byte(_)) => u32::from(u8::MAX),
            (None, IdColumn::Narrow(_)) => u32::from(u16::MAX),
            (None, IdColumn::Wide(_)) => u32::MAX,
        }
    }
}

/// Joined parts of columns.
struct Joined<T> {
    values: Vec<T>,
    first: Option<u32>,
    highest: u32,
    differing: u32,
}

impl<T: Copy + Into<u32>> Joined<T> {
    fn of(parts: &[IdPart<'_>], narrow: impl Fn(u32) -> T + Copy) -> Result<Self, OutOfMemory> {
        let mut joined = Self { values: Vec::new(), first: None, highest: 0, differing: 0 };
        reserve_exact(&mut joined.values, parts.iter().map(|part| part.rows.len()).sum())?;
        for IdPart { column, rows, numbers } in parts {
            match column {
                IdColumn::Same(value) => joined.add(std::iter::repeat_n(*value, rows.len()), *numbers, narrow),
                IdColumn::Byte(values) => joined.add_rows(values, rows, *numbers, narrow),
                IdColumn::Narrow(values) => joined.add_rows(values, rows, *numbers, narrow),
                IdColumn::Wide(values) => joined.add_rows(values, rows, *numbers, narrow),
            }
        }
        Ok(joined)
    }

    fn add_rows<V: Copy + Into<u32>>(
        &mut self,
        values: &[V],
        rows: &Range<usize>,
        numbers: Option<&[u32]>,
        narrow: impl Fn(u32) -> T,
    ) {
        let values = values.get(rows.clone()).unwrap_or_default();
        self.add(values.iter().map(|&value| value.into()), numbers, narrow);
    }

    fn add(&mut self, values: impl Iterator<Item = u32>, numbers: Option<&[u32]>, narrow: impl Fn(u32) -> T) {
        match numbers {
            Some(numbers) => {
                self.extend(values.map(|value| numbers.get(value as usize).copied().unwrap_or(0)), narrow);
            }
            None => self.extend(values, narrow),
        }
    }

    #[inline]
    fn extend(&mut self, values: impl Iterator<Item = u32>, narrow: impl Fn(u32) -> T) {
        let mut values = values.peekable();
        let Some(&next) = values.peek() else { return };
        let first = *self.first.get_or_insert(next);
        let (mut highest, mut differing) = (self.highest, self.differing);
        self.values.extend(values.map(|value| {
            highest |= value;
            differing |= value ^ first;
            narrow(value)
        }));
        (self.highest, self.differing) = (highest, differing);
    }

    /// Returns the narrowest column, which `column` makes if the values need their width.
    fn narrowest(self, column: impl Fn(Arc<Vec<T>>) -> IdColumn) -> Result<IdColumn, OutOfMemory> {
        if self.differing == 0 {
            return Ok(IdColumn::Same(self.first.unwrap_or(0)));
        }
        let bits = 8 * size_of::<T>() as u32;
        if bits > 8 && self.highest >> (bits / 2) == 0 {
            let mut wide = Vec::new();
            reserve_exact(&mut wide, self.values.len())?;
            wide.extend(self.values.iter().map(|&value| value.into()));
            return IdColumn::from_values(&wide);
        }
        Ok(column(Arc::new(self.values)))
    }
}

/// Column of IDs that is being filled, of a width that is known before.
pub(crate) enum IdWriter {
    Zero,
    Byte(Vec<u8>),
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl IdWriter {
    /// Creates a writer of this many rows, whose values are at most `most`.
    pub fn new(most: u32, rows: usize) -> Result<Self, OutOfMemory> {
        fn room<T>(rows: usize) -> Result<Vec<T>, OutOfMemory> {
            let mut values = Vec::new();
            reserve_exact(&mut values, rows)?;
            Ok(values)
        }
        Ok(match most {
            0 => Self::Zero,
            1..=0xff => Self::Byte(room(rows)?),
            0x100..=0xffff => Self::Narrow(room(rows)?),
            _ => Self::Wide(room(rows)?),
        })
    }

    #[inline]
    pub fn extend(&mut self, more: impl Iterator<Item = u32>) {
        match self {
            Self::Zero => {}
            Self::Byte(values) => values.extend(more.map(|value| value as u8)),
            Self::Narrow(values) => values.extend(more.map(|value| value as u16)),
            Self::Wide(values) => values.extend(more),
        }
    }

    pub fn finish(self) -> IdColumn {
        match self {
            Self::Zero => IdColumn::Same(0),
            Self::Byte(values) => IdColumn::Byte(Arc::new(values)),
            Self::Narrow(values) => IdColumn::Narrow(Arc::new(values)),
            Self::Wide(values) => IdColumn::Wide(Arc::new(values)),
        }
    }
}

/// Returns the values of `rows` with their row numbers.
#[inline]
fn numbered<T: Copy + Into<u32>>(values: &[T], rows: Range<usize>) -> impl Iterator<Item = (usize, u32)> + '_ {
    let start = rows.start;
    let values = values.get(rows).unwrap_or_default();
    values.iter().enumerate().map(move |(at, &value)| (start + at, value.into()))
}

/// Appends the rows among `rows` whose value is wanted to `into`. `has_any` returns whether a group has any.
#[inline]
fn add_where<T: Copy>(
    values: &[T],
    rows: Range<usize>,
    has_any: impl Fn(&[T; GROUP_ROWS]) -> bool,
    is_wanted: impl Fn(T) -> bool,
    into: &mut Vec<u32>,
) {
    let add = |group: &[T], first: u32, into: &mut Vec<u32>| {
        into.extend(group.iter().zip(first..).filter(|(value, _)| is_wanted(**value)).map(|(_, row)| row));
    };
    let first = rows.start as u32;
    let (groups, rest) = values.get(rows).unwrap_or_default().as_chunks();
    for (group, first) in groups.iter().zip((first..).step_by(GROUP_ROWS)) {
        // Few rows are wanted, so most groups are skipped without a branch per row.
        if has_any(group) {
            add(group, first, into);
        }
    }
    add(rest, first + (groups.len() * GROUP_ROWS) as u32, into);
}

#[inline]
fn any<T: Copy>(group: &[T; GROUP_ROWS], is_wanted: impl Fn(T) -> bool) -> bool {
    group.iter().fold(false, |any, &value| any | is_wanted(value))
}

/// Returns whether a group has any of these values, comparing eight rows at a time.
#[inline]
fn has_any(group: &[u8; GROUP_ROWS], few: [u8; 4]) -> bool {
    const ONES: u64 = u64::MAX / 0xff;
    let few = few.map(|value| u64::from(value) * ONES);
    let (words, _) = group.as_chunks();
    let found = words.iter().fold(0, |found, word| {
        let word = u64::from_le_bytes(*word);
        few.iter().fold(found, |found, wanted| {
            // The highest bit of the lowest byte that is 0 is set.
            let differing = word ^ wanted;
            found | (differing.wrapping_sub(ONES) & !differing & (ONES << 7))
        })
    });
    found != 0
}

/// Returns the wanted values if there are at most four; some may be repeated.
fn few_of(wanted: &[bool; 256]) -> Option<[u8; 4]> {
    let mut values = (0..=u8::MAX).filter(|value| wanted[usize::from(*value)]);
    let mut few = [values.next()?; 4];
    few.iter_mut().skip(1).zip(&mut values).for_each(|(few, value)| *few = value);
    values.next().is_none().then_some(few)
}

/// Number of rows that [`IdColumn::rows_where`] looks at together.
const GROUP_ROWS: usize = 32;

/// Returns the lower bits of values, several at a time, because programs optimized for size don't vectorize loops.
fn narrow<const N: usize, T: Copy + Default>(values: &[u32], lower: impl Fn(u32) -> T) -> Result<Vec<T>, OutOfMemory> {
    let mut narrow: Vec<T> = Vec::new();
    reserve_exact(&mut narrow, values.len())?;
    narrow.resize(values.len(), T::default());
    let ((to, last_to), (from, last_from)) = (narrow.as_chunks_mut::<N>(), values.as_chunks::<N>());
    for (to, &from) in to.iter_mut().zip(from) {
        *to = from.map(&lower);
    }
    last_to.iter_mut().zip(last_from).for_each(|(to, &from)| *to = lower(from));
    Ok(narrow)
}

/// Column of large numbers that are close to each other, such as ticks and file offsets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OffsetColumn {
    /// Differences from `base` that fit 32 bits.
    Near {
        /// Minimum of the column.
        base: i64,
        /// Value minus `base`.
        offsets: Arc<Vec<u32>>,
    },
    /// Values with larger differences.
    Far(Arc<Vec<i64>>),
}

impl Default for OffsetColumn {
    fn default() -> Self {
        Self::Near { base: 0, offsets: Arc::default() }
    }
}

impl OffsetColumn {
    /// Returns the narrowest column that can hold `values`.
    pub(crate) fn from_values(values: &[i64]) -> Result<Self, OutOfMemory> {
        let (mut base, mut highest) = (i64::MAX, i64::MIN);
        for &value in values {
            base = base.min(value);
            highest = highest.max(value);
        }
        if values.is_empty() || highest.wrapping_sub(base) as u64 <= u64::from(u32::MAX) {
            let mut offsets = Vec::new();
            reserve_exact(&mut offsets, values.len())?;
            offsets.extend(values.iter().map(|&value| value.wrapping_sub(base) as u32));
            return Ok(Self::Near { base, offsets: Arc::new(offsets) });
        }
        let mut far = Vec::new();
        reserve_exact(&mut far, values.len())?;
        far.extend_from_slice(values);
        Ok(Self::Far(Arc::new(far)))
    }

    /// Returns the narrowest column of parts of columns.
    pub(crate) fn joined(parts: &[(&Self, Range<usize>)]) -> Result<Self, OutOfMemory> {
        let (mut lowest, mut highest) = (i64::MAX, i64::MIN);
        for (column, rows) in parts {
            if let Some((low, high)) = column.ends_of(rows) {
                (lowest, highest) = (lowest.min(low), highest.max(high));
            }
        }
        let mut writer = OffsetWriter::new(lowest, highest, parts.iter().map(|(_, rows)| rows.len()).sum())?;
        for (column, rows) in parts {
            match (&mut writer, column) {
                (OffsetWriter::Near { base, offsets }, Self::Near { base: other, offsets: more }) => {
                    // Both differences fit 32 bits, so the sum needs no more.
                    let shift = other.wrapping_sub(*base) as u32;
                    let more = more.get(rows.clone()).unwrap_or_default();
                    offsets.extend(more.iter().map(|&offset| offset.wrapping_add(shift)));
                }
                (writer, column) => writer.extend(rows.clone().map(|row| column.get(row))),
            }
        }
        Ok(writer.finish())
    }

    /// Returns the smallest and largest value of some rows.
    fn ends_of(&self, rows: &Range<usize>) -> Option<(i64, i64)> {
        fn ends<T: Copy + Ord>(values: &[T]) -> Option<(T, T)> {
            let first = *values.first()?;
            Some(values.iter().fold((first, first), |(low, high), &value| (low.min(value), high.max(value))))
        }
        match self {
            Self::Near { base, offsets } => {
                let (low, high) = ends(offsets.get(rows.clone())?)?;
                Some((base + i64::from(low), base + i64::from(high)))
            }
            Self::Far(values) => ends(values.get(rows.clone())?),
        }
    }

    /// Returns the value of a row of the chunk; 0 past its end.
    #[inline]
    pub fn get(&self, row: usize) -> i64 {
        match self {
            Self::Near { base, offsets } => offsets.get(row).map_or(0, |&offset| base + i64::from(offset)),
            Self::Far(values) => values.get(row).copied().unwrap_or(0),
        }
    }

    /// Calls `visit(row, value)` for `rows` of the chunk, matching on the width once.
    #[inline]
    pub fn for_each(&self, rows: Range<usize>, mut visit: impl FnMut(usize, i64)) {
        let start = rows.start;
        match self {
            Self::Near { base, offsets } => {
                for (at, &offset) in offsets.get(rows).unwrap_or_default().iter().enumerate() {
                    visit(start + at, base + i64::from(offset));
                }
            }
            Self::Far(values) => {
                for (at, &value) in values.get(rows).unwrap_or_default().iter().enumerate() {
                    visit(start + at, value);
                }
            }
        }
    }

    /// Replaces the content of `into` with the values of `rows`.
    pub fn copy_into(&self, rows: Range<usize>, into: &mut Vec<i64>) {
        into.clear();
        match self {
            Self::Near { base, offsets } => {
                into.extend(offsets.get(rows).unwrap_or_default().iter().map(|&offset| base + i64::from(offset)));
            }
            Self::Far(values) => into.extend_from_slice(values.get(rows).unwrap_or_default()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Near { offsets, .. } => offsets.len(),
            Self::Far(values) => values.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the first row whose value is at least `bound`. The column must be ascending.
    pub fn lower_bound(&self, bound: i64) -> usize {
        match self {
            Self::Near { base, offsets } => match u64::try_from(i128::from(bound) - i128::from(*base)) {
                Ok(offset) => offsets.partition_point(|&value| u64::from(value) < offset),
                Err(_) if bound <= *base => 0,
                Err(_) => offsets.len(),
            },
            Self::Far(values) => values.partition_point(|&value| value < bound),
        }
    }

    pub fn heap_bytes(&self) -> u64 {
        match self {
            Self::Near { offsets, .. } => 4 * offsets.capacity() as u64,
            Self::Far(values) => 8 * values.capacity() as u64,
        }
    }
}

/// Column of large numbers that is being filled, of a width that is known before.
pub(crate) enum OffsetWriter {
    Near { base: i64, offsets: Vec<u32> },
    Far(Vec<i64>),
}

impl OffsetWriter {
    /// Creates a writer of this many rows, whose values are between these.
    pub fn new(lowest: i64, highest: i64, rows: usize) -> Result<Self, OutOfMemory> {
        if rows == 0 || highest.wrapping_sub(lowest) as u64 <= u64::from(u32::MAX) {
            let mut offsets = Vec::new();
            reserve_exact(&mut offsets, rows)?;
            return Ok(Self::Near { base: lowest, offsets });
        }
        let mut values = Vec::new();
        reserve_exact(&mut values, rows)?;
        Ok(Self::Far(values))
    }

    #[inline]
    pub fn extend(&mut self, more: impl Iterator<Item = i64>) {
        match self {
            Self::Near { base, offsets } => offsets.extend(more.map(|value| value.wrapping_sub(*base) as u32)),
            Self::Far(values) => values.extend(more),
        }
    }

    pub fn finish(self) -> OffsetColumn {
        match self {
            Self::Near { base, offsets } => OffsetColumn::Near { base, offsets: Arc::new(offsets) },
            Self::Far(values) => OffsetColumn::Far(Arc::new(values)),
        }
    }
}

/// Set of the IDs in a chunk, for skipping irrelevant chunks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct IdSet {
    words: Vec<u64>,
}

impl IdSet {
    /// Returns the set of a column's values.
    pub(crate) fn of_column(column: &IdColumn) -> Self {
        match column {
            IdColumn::Same(value) => std::iter::once(*value).collect(),
            IdColumn::Byte(values) => {
                // One bool per ID instead of one bit, so that writes don't depend on previous ones.
                let mut marks = [false; 256];
                values.iter().for_each(|&value| marks[usize::from(value)] = true);
                marks.iter().zip(0u32..).filter(|(mark, _)| **mark).map(|(_, value)| value).collect()
            }
            IdColumn::Narrow(values) => Self::of(values),
            IdColumn::Wide(values) => Self::of(values),
        }
    }

    fn of<T: Copy + Into<u32>>(values: &[T]) -> Self {
        let highest = values.iter().fold(0, |highest, &value| highest | value.into());
        let mut marks = vec![false; if values.is_empty() { 0 } else { highest as usize + 1 }];
        for &value in values {
            if let Some(mark) = marks.get_mut(value.into() as usize) {
                *mark = true;
            }
        }
        marks.iter().zip(0u32..).filter(|(mark, _)| **mark).map(|(_, value)| value).collect()
    }

    /// Adds an ID; returns whether it is new.
    pub fn insert(&mut self, id: u32) -> bool {
        let (word, bit) = ((id / 64) as usize, 1u64 << (id % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let Some(word) = self.words.get_mut(word) else { return false };
        let added = *word & bit == 0;
        *word |= bit;
        added
    }

    /// Adds all IDs of another set.
    pub fn extend(&mut self, other: &IdSet) {
        self.words.resize(self.words.len().max(other.words.len()), 0);
        self.words.iter_mut().zip(&other.words).for_each(|(word, more)| *word |= more);
    }

    /// Returns whether the set contains an ID.
    #[inline]
    pub fn contains(&self, id: u32) -> bool {
        self.words.get((id / 64) as usize).is_some_and(|word| word & (1 << (id % 64)) != 0)
    }

    /// Returns the IDs, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().zip(0u32..).flat_map(|(&word, at)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    at * 64 + bit
                })
            })
        })
    }

    /// Returns the largest ID plus one; 0 if the set is empty.
    pub fn end(&self) -> usize {
        let last = self.words.iter().rposition(|&word| word != 0);
        last.map_or(0, |at| {
            let word = self.words.get(at).copied().unwrap_or(0);
            at * 64 + 64 - word.leading_zeros() as usize
        })
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub fn heap_bytes(&self) -> u64 {
        8 * self.words.capacity() as u64
    }
}

impl FromIterator<u32> for IdSet {
    fn from_iter<I: IntoIterator<Item = u32>>(ids: I) -> Self {
        let mut set = Self::default();
        for id in ids {
            set.insert(id);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_width_follows_from_values() -> Result<(), OutOfMemory> {
        assert_eq!(IdColumn::from_values(&[7, 7, 7])?, IdColumn::Same(7));
        assert_eq!(IdColumn::from_values(&[7, 255])?, IdColumn::Byte(Arc::new(vec![7, 255])));
        assert_eq!(IdColumn::from_values(&[7, 256])?, IdColumn::Narrow(Arc::new(vec![7, 256])));
        assert_eq!(IdColumn::from_values(&[7, 65_535])?, IdColumn::Narrow(Arc::new(vec![7, 65_535])));
        assert_eq!(IdColumn::from_values(&[7, 65_536])?, IdColumn::Wide(Arc::new(vec![7, 65_536])));
        let near = OffsetColumn::from_values(&[-5, -5 + i64::from(u32::MAX)])?;
        assert_eq!(near, OffsetColumn::Near { base: -5, offsets: Arc::new(vec![0, u32::MAX]) });
        assert!(matches!(OffsetColumn::from_values(&[-6, -5 + i64::from(u32::MAX)])?, OffsetColumn::Far(_)));
        assert!(matches!(OffsetColumn::from_values(&[i64::MIN, i64::MAX])?, OffsetColumn::Far(_)));
        Ok(())
    }

    #[test]
    fn column_of_any_length_is_narrow() -> Result<(), OutOfMemory> {
        for length in 1..19_u32 {
            for (start, step) in [(7, 0), (0, 1), (250, 1), (65_530, 1), (0, 65_537)] {
                let values: Vec<u32> = (0..length).map(|row| start + row * step).collect();
                // Also tests a slice that doesn't begin at a pair.
                for values in [values.as_slice(), &values[1..]] {
                    let column = IdColumn::from_values(values)?;
                    let read: Vec<u32> = (0..values.len()).map(|row| column.get(row)).collect();
                    assert_eq!(read, values);
                    let is_same = values.iter().all(|value| Some(value) == values.first());
                    let has_bits = |bits: u32| values.iter().all(|value| value >> bits == 0);
                    assert_eq!(matches!(column, IdColumn::Same(_)), is_same, "{values:?}");
                    assert_eq!(matches!(column, IdColumn::Wide(_)), !is_same && !has_bits(16), "{values:?}");
                    assert_eq!(matches!(column, IdColumn::Byte(_)), !is_same && has_bits(8), "{values:?}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn rows_of_any_number_of_wanted_values_are_found() -> Result<(), OutOfMemory> {
        for highest in [200, 60_000, 70_000] {
            let values: Vec<u32> = (0..500).map(|at: u32| (at * at) % 241 % (highest + 1)).chain([highest]).collect();
            let column = IdColumn::from_values(&values)?;
            for count in [0, 1, 3, 4, 5, 30] {
                let mut wanted = vec![false; highest as usize];
                (0..count).for_each(|at| wanted[(at * 7 + 1) % 200] = true);
                let is_wanted = |row: &u32| wanted.get(values[*row as usize] as usize) == Some(&true);
                for inside in [0..501, 3..35, 31..500, 470..501, 9..9] {
                    let mut found = Vec::new();
                    column.rows_where(inside.clone(), &wanted, &mut found);
                    let expected: Vec<u32> = (inside.start as u32..inside.end as u32).filter(is_wanted).collect();
                    assert_eq!(found, expected, "{count} values in {inside:?}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn column_reads_same_in_every_width() -> Result<(), OutOfMemory> {
        for highest in [3, 200, 60_000, 70_000] {
            let values = [3, 3, highest, 3];
            let column = IdColumn::from_values(&values)?;
            let mut seen = Vec::new();
            column.for_each(1..4, |row, value| seen.push((row, value)));
            assert_eq!(seen, [(1, 3), (2, highest), (3, 3)]);
            let mut rows = Vec::new();
            column.rows_where(1..4, &[false, false, false, true], &mut rows);
            let expected: Vec<u32> = (1..4).filter(|&row| column.get(row as usize) == 3).collect();
            assert_eq!(rows, expected);
            column.copy_into(2..4, &mut seen.iter().map(|_| 0).collect());
            assert_eq!((column.get(2), column.get(3)), (highest, 3));
        }
        Ok(())
    }

    #[test]
    fn lower_bound_is_found_on_both_sides_of_base() -> Result<(), OutOfMemory> {
        for far in [0, i64::from(u32::MAX)] {
            let column = OffsetColumn::from_values(&[-9, -9, 0, 5, 5 + far])?;
            assert_eq!(column.lower_bound(i64::MIN), 0);
            assert_eq!(column.lower_bound(-9), 0);
            assert_eq!(column.lower_bound(-8), 2);
            assert_eq!(column.lower_bound(5), 3);
            assert_eq!(column.lower_bound(i64::MAX), 5);
        }
        Ok(())
    }

    #[test]
    fn set_lists_inserted_ids() {
        let set: IdSet = [130, 0, 63, 64, 130].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 130]);
        assert_eq!((set.end(), IdSet::default().end()), (131, 0));
        assert!(set.contains(64) && !set.contains(65) && !set.contains(9999));
    }
}
