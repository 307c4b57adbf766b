//! Stacks, sequence points, losses and order: S70 to S91, S95; of version 6 S169 to S171, S205 to S210.

use super::support::*;
use engine::model::Loss;
use nettrace::Field;
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use protocol::base::ids::EventId;

/// Returns a trace of a format in which threads 7 and 8 are declared if necessary.
fn with_threads(format: Format, write: impl FnOnce(&mut TraceBuilder)) -> Vec<u8> {
    trace(format, |builder| {
        if format == Format::Nettrace6 {
            builder.threads(&[thread(7), thread(8)]);
        }
        write(builder);
    })
}

fn losses(opened: &Opened) -> Vec<(u64, Option<i64>, i64, u64)> {
    let plain = |loss: &Loss| (loss.os_thread, loss.after_ticks, loss.before_ticks, loss.count);
    opened.store().losses.iter().map(plain).collect()
}

fn on(capture_thread: u64, event: Event) -> Event {
    Event { capture_thread, thread: capture_thread, ..event }
}

/// S70, S71, S205: stack IDs count up from the first ID of their block.
#[test]
fn stack_ids_count_up_from_first_id() {
    for format in BLOCKED {
        let mut opened = open(&with_threads(format, |builder| {
            builder.stacks(40, &[&[0x1000], &[0x2000, 0x3000], &[]]);
            let with = |stack_id, sequence| Event { stack_id, ..event(1, sequence, 1_000_000 + i64::from(sequence)) };
            builder.events(&[with(41, 1), with(40, 2), with(42, 3), with(0, 4)]);
        }));
        let addresses: Vec<Vec<u64>> =
            opened.details().iter().map(|detail| detail.frames.iter().map(|frame| frame.address).collect()).collect();
        assert_eq!(addresses, [vec![0x2000, 0x3000], vec![0x1000], vec![], vec![]], "{format:?}: leaf first");
        assert!(opened.is_clean(), "{:?}", opened.messages());
    }
}

/// S14, S72, S104, S150, R1.7: addresses have the size in the header; another length of a stack is damage.
#[test]
fn addresses_have_pointer_size() {
    for format in [Format::Netperf3, Format::Nettrace4, Format::Nettrace6] {
        for size in [4, 8] {
            let mut builder =
                TraceBuilder::with_header(format, &nettrace::Header { pointer_size: size, ..format.header() });
            builder.metadata(&[record(1, "Order")]);
            let stack = [0x7FFF_0001u64, 0x42];
            if format == Format::Nettrace6 {
                builder.threads(&[thread(7)]);
            }
            if format != Format::Netperf3 {
                builder.stacks(1, &[&stack]);
            }
            builder.events(&[Event { stack_id: 1, stack: stack.to_vec(), ..event(1, 1, 1_000_000) }]);
            let mut opened = open(&builder.finish());
            let found: Vec<_> = opened.detail(0).frames.iter().map(|frame| frame.address).collect();
            assert_eq!(found, stack, "{format:?} {size}");
            assert_eq!(opened.header_field("Pointer size"), format!("{size} bytes"));
        }
    }
    for format in BLOCKED {
        let opened = open(&with_threads(format, |builder| {
            builder.block("StackBlock", 5, &PayloadWriter::new().u32(1).u32(1).u32(9).bytes(&[1; 9]).finish());
            builder.events(&[event(1, 1, 1_000_000)]);
        }));
        assert!(opened.says("isn't a multiple of the pointer size"), "{format:?}: {:?}", opened.messages());
    }
}

/// S73, S76, S83, S84, S208, R1.61: a sequence point contains the last number of each thread; missing events were lost
/// before it.
#[test]
fn sequence_point_reveals_losses() {
    for format in BLOCKED {
        let opened = open(&with_threads(format, |builder| {
            builder.events(&[event(1, 1, 1_000_010)]);
            builder.sequence_point(1_000_050, 0, &[(7, 4), (8, 5)]);
        }));
        assert_eq!(losses(&opened), [(7, Some(10), 50, 3), (8, None, 50, 5)], "{format:?}");
        assert_eq!(opened.summary().lost, Some(8));
    }
}

/// S77, S210, S235: stack IDs and labels end at a sequence point.
#[test]
fn stack_ids_end_at_sequence_point() {
    for format in BLOCKED {
        let mut opened = open(&with_threads(format, |builder| {
            let with = |sequence| Event { stack_id: 1, ..event(1, sequence, 1_000_000 + i64::from(sequence)) };
            builder.stacks(1, &[&[0x1000]]).events(&[with(1)]).sequence_point(1_000_002, 0, &[]);
            builder.stacks(1, &[&[0x2000]]).events(&[with(3)]).sequence_point(1_000_004, 0, &[]);
            builder.events(&[with(5)]);
        }));
        let addresses: Vec<_> =
            opened.details().iter().map(|detail| detail.frames.first().map(|frame| frame.address)).collect();
        assert_eq!(addresses, [Some(0x1000), Some(0x2000), None], "{format:?}");
        assert!(opened.says("undefined stack ID 1"));
    }
}

/// S74, S75, S90: a file with unordered sequence points is sorted correctly, and reported.
#[test]
fn unordered_sequence_points_are_sorted() {
    for format in BLOCKED {
        let mut opened = open(&with_threads(format, |builder| {
            builder.events(&[event(1, 1, 1_000_500)]).sequence_point(1_000_600, 0, &[]);
            builder.events(&[on(8, event(1, 1, 1_000_100))]).sequence_point(1_000_200, 0, &[]);
        }));
        let times: Vec<_> = opened.details().iter().map(|detail| detail.time).collect();
        assert_eq!(times, [100_000_000, 500_000_000], "{format:?}");
        assert!(opened.says("earlier than the one before"), "{:?}", opened.messages());
    }
}

/// S81, S86: a gap in the numbers of a thread is a loss between two of its events.
#[test]
fn sequence_gap_is_loss_between_events() {
    for format in BLOCKED {
        let mut opened = open(&with_threads(format, |builder| {
            builder.events(&[event(1, 1, 1_000_010), event(1, 2, 1_000_020), event(1, 9, 1_000_030)]);
            builder.events(&[on(8, event(1, 1, 1_000_000))]);
        }));
        assert_eq!(losses(&opened), [(7, Some(20), 30, 6)], "{format:?}");
        let shown = opened.header().losses;
        assert_eq!(
            (shown[0].os_thread, shown[0].after, shown[0].before, shown[0].count),
            (7, Some(20_000_000), 30_000_000, 6)
        );
    }
}

/// S82: numbers that restart at 1 belong to another thread with the same ID, up to version 5.
#[test]
fn restarted_numbers_are_another_thread() {
    let mut opened = open(&trace(Format::Nettrace4, |builder| {
        builder.events(&[event(1, 1, 1_000_000), event(1, 2, 1_000_001)]);
        builder.events(&[event(1, 1, 1_000_010), event(1, 2, 1_000_011)]);
    }));
    assert_eq!(opened.summary().lost, Some(0));
    let threads: Vec<_> =
        opened.store().threads.iter().map(|thread| (thread.os_thread, thread.incarnation, thread.events)).collect();
    assert_eq!(threads, [(7, 0, 2), (7, 1, 2)]);
    let numbers: Vec<_> = opened.store().threads.iter().map(|thread| thread.number()).collect();
    assert_eq!(numbers, ["7", "7 (2)"]);
    let facts = opened.threads().facts;
    assert_eq!(facts.iter().filter(|facts| *facts == "Reuses the ID of an earlier thread").count(), 1);
}

/// S169, S223: in version 6, the numbers of an index never restart; a removal contains the last number.
#[test]
fn thread_removal_has_last_number() {
    let opened = open(&with_threads(Format::Nettrace6, |builder| {
        builder.events(&[event(1, 1, 1_000_010)]).removed_threads(&[(7, 3), (8, 0)]);
        builder.threads(&[thread(7)]).events(&[event(1, 1, 1_000_020)]);
    }));
    assert_eq!(opened.summary().lost, Some(2));
    let threads: Vec<_> = opened.store().threads.iter().map(|thread| (thread.os_thread, thread.incarnation)).collect();
    assert_eq!(threads, [(7, 0), (8, 0), (7, 1)], "the index is another thread");
}

/// S85: a first event with number n means that n − 1 events were lost before it.
#[test]
fn losses_before_first_event_are_counted() {
    for format in BLOCKED {
        let opened = open(&with_threads(format, |builder| {
            builder.events(&[event(1, 6, 1_000_010)]);
        }));
        assert_eq!(losses(&opened), [(7, None, 10, 5)], "{format:?}");
    }
}

/// S87, S90, S158, S170: rows are in order of time, for any order of the file, and ties have a fixed order.
#[test]
fn rows_are_sorted_by_time() {
    for format in BLOCKED {
        let mut opened = open(&with_threads(format, |builder| {
            builder.events(&[on(8, event(1, 1, 1_000_005)), on(8, event(1, 2, 1_000_009))]);
            builder.events(&[event(1, 1, 1_000_001), event(1, 2, 1_000_005), event(1, 3, 1_000_007)]);
        }));
        let rows: Vec<_> = opened.details().iter().map(|detail| (detail.time / 1_000_000, detail.os_thread)).collect();
        assert_eq!(rows, [(1, 7), (5, 7), (5, 8), (7, 7), (9, 8)], "{format:?}: thread 7 before 8 at equal times");
    }
}

/// S88, S89, S171: events between two sequence points are sorted separately; sorted events are final; chunks have no
/// effect.
#[test]
fn regions_are_sorted_separately() {
    for format in BLOCKED {
        let regions = |split: bool| {
            let mut opened = open(&with_threads(format, |builder| {
                for region in 0..5i64 {
                    let at = 1_000_000 + 100 * region;
                    let sequence = 2 * region as u32;
                    builder.events(&[on(8, event(1, 1 + sequence, at + 8)), on(8, event(1, 2 + sequence, at + 9))]);
                    builder.events(&[
                        Event { is_sorted: true, ..event(1, 1 + sequence, at + 1) },
                        event(1, 2 + sequence, at + 5),
                    ]);
                    if split {
                        builder.sequence_point(at + 50, 0, &[]);
                    }
                }
            }));
            opened.details().iter().map(|detail| (detail.time, detail.os_thread)).collect::<Vec<_>>()
        };
        let rows = regions(true);
        assert!(rows.is_sorted(), "{format:?}");
        assert_eq!(rows, regions(false), "{format:?}: sequence points only bound the work");
    }
}

/// S91, S239: a file of each version is read, with its header, events and payloads.
#[test]
fn every_version_is_read() {
    for format in Format::ALL {
        let fields = vec![Field::new("id", nettrace::FieldType::Int32)];
        let mut builder = TraceBuilder::new(format);
        builder.metadata(&[nettrace::MetadataRecord { fields, ..record(1, "Order") }]);
        if format == Format::Nettrace6 {
            builder.threads(&[thread(7)]);
        }
        builder.events(&[Event { payload: vec![5, 0, 0, 0], ..event(1, 1, 1_000_010) }]);
        let mut opened = open(&builder.finish());
        assert!(opened.is_clean(), "{format:?}: {:?}", opened.messages());
        assert_eq!(opened.values(0), ["5"], "{format:?}");
        assert_eq!((opened.detail(0).os_thread, opened.detail(0).time), (7, 10_000_000));
    }
}

/// S86, S209: the number of lost events has a reason, and whether it is a minimum.
#[test]
fn losses_have_reason() {
    for format in BLOCKED {
        let reasons = |tail: &[Event]| {
            let written = with_threads(format, |builder| {
                builder.events(&[event(1, 3, 1_000_000), event(1, 1_006, 1_000_001)]);
                builder.sequence_point(1_000_002, 0, &[(7, 1_010)]).events(tail);
            });
            open(&written).header().loss_reasons
        };
        let said = reasons(&[]);
        for part in [
            "1,002 between two events of a thread",
            "2 before the first event of a thread",
            "4 between a thread's last event and a sequence point",
            "The total is exact",
        ] {
            assert!(said.contains(part), "{format:?}: {said}");
        }
        let said = reasons(&[event(1, 1_011, 1_000_005)]);
        assert!(said.contains("This is a minimum: one thread has no final sequence point"), "{format:?}: {said}");
    }
}

/// S170: events of a thread that go back in time are reported, and sorted.
#[test]
fn decreasing_times_are_reported() {
    for format in BLOCKED {
        let opened = open(&with_threads(format, |builder| {
            builder.events(&[event(1, 1, 1_000_005), event(1, 2, 1_000_003), event(1, 3, 1_000_009)]);
        }));
        let ticks: Vec<_> = (0..3).map(|row| opened.store().events.row(EventId(row)).ticks).collect();
        assert_eq!(ticks, [3, 5, 9], "{format:?}");
        assert!(opened.says("out of time order"), "{format:?}: {:?}", opened.messages());
    }
}
