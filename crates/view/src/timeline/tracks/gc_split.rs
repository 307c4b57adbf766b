//! GCs by process: each process has its own track, and its pauses affect only its threads.

use protocol::tables::Gcs;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the GCs by OS process ID.
pub fn by_process(table: Gcs) -> BTreeMap<u32, Arc<Gcs>> {
    let first = table.process.first().copied().unwrap_or_default();
    if table.process.iter().all(|process| *process == first) {
        let is_there = !table.process.is_empty();
        return is_there.then(|| (first, Arc::new(table))).into_iter().collect();
    }
    let mut parts: BTreeMap<u32, Gcs> = BTreeMap::new();
    // By row: row in the table of its process.
    let mut places = Vec::with_capacity(table.number.len());
    for (row, &process) in table.process.iter().enumerate() {
        let part = parts.entry(process).or_default();
        places.push(part.number.len() as u32);
        part.process.push(process);
        part.number.push(table.number[row]);
        part.generation.push(table.generation[row]);
        part.kind.push(table.kind[row]);
        part.start.push(table.start[row]);
        part.end.push(table.end[row]);
        part.pause_total.push(table.pause_total[row]);
        part.induced.push(table.induced[row]);
        part.reason.push(table.reason.get(row));
        part.thread.push(table.thread[row]);
        part.event.push(table.event[row]);
    }
    for (stop, &of) in table.stop_row.iter().enumerate() {
        let Some((part, row)) = place_of(&mut parts, &table, &places, of) else { continue };
        part.stop_row.push(row);
        part.stop_start.push(table.stop_start[stop]);
        part.stop_end.push(table.stop_end[stop]);
        part.stop_counted.push(table.stop_counted[stop]);
        part.stop_suspension.push(table.stop_suspension[stop]);
        part.stop_resume.push(table.stop_resume[stop]);
    }
    let sizes = table.heap_sizes.chunks(5);
    for ((&of, &time), sizes) in table.heap_row.iter().zip(&table.heap_time).zip(sizes) {
        let Some((part, row)) = place_of(&mut parts, &table, &places, of) else { continue };
        part.heap_row.push(row);
        part.heap_time.push(time);
        part.heap_sizes.extend(sizes);
    }
    parts.into_iter().map(|(process, part)| (process, Arc::new(part))).collect()
}

/// Returns the table of the process of a GC, and its row there.
fn place_of<'p>(
    parts: &'p mut BTreeMap<u32, Gcs>,
    table: &Gcs,
    places: &[u32],
    row: u32,
) -> Option<(&'p mut Gcs, u32)> {
    let part = parts.get_mut(table.process.get(row as usize)?)?;
    Some((part, *places.get(row as usize)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::paint::gc::samples::gcs;

    #[test]
    fn gcs_are_split_by_process() {
        let mut table = gcs();
        let whole = by_process(table.clone());
        assert_eq!(whole.keys().copied().collect::<Vec<_>>(), [0]);
        assert_eq!(*whole[&0], table);
        table.process = vec![7, 9, 7];
        let parts = by_process(table.clone());
        assert_eq!(parts.keys().copied().collect::<Vec<_>>(), [7, 9]);
        assert_eq!(
            (&parts[&7].number, &parts[&9].number),
            (&vec![table.number[0], table.number[2]], &vec![table.number[1]])
        );
        for (process, part) in &parts {
            let stops = |table: &Gcs| -> Vec<(u32, i64, i64)> {
                let of = |stop: usize| {
                    (table.number[table.stop_row[stop] as usize], table.stop_start[stop], table.stop_end[stop])
                };
                (0..table.stop_row.len()).map(of).collect()
            };
            let expected: Vec<_> =
                stops(&table).into_iter().filter(|(number, ..)| part.number.contains(number)).collect();
            assert_eq!(stops(part), expected, "{process}");
            assert_eq!(part.heap_sizes.len(), part.heap_row.len() * 5);
            let rows = part.number.len() as u32;
            assert!(part.stop_row.iter().chain(&part.heap_row).all(|row| *row < rows));
        }
        assert!(by_process(Gcs::default()).is_empty());
    }
}
