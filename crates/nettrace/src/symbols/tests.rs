//! Symbols of traces of the runtime and of machine-wide traces.

use super::*;
use crate::TraceReader;
use crate::testing::{Event as Written, Format, PayloadWriter, TraceBuilder};
use crate::{MetadataRecord, ThreadRow};

const METHOD_LOAD: u32 = 1;
const METHOD_UNLOAD: u32 = 2;
const METHOD_DC_END: u32 = 3;
const MODULE_DC_END: u32 = 4;
const MAPPING: u32 = 5;
const SYMBOL: u32 = 6;

fn records() -> Vec<MetadataRecord> {
    let record = |metadata_id, provider: &str, event_id| MetadataRecord {
        metadata_id,
        provider: provider.to_owned(),
        event_id,
        version: 1,
        ..MetadataRecord::default()
    };
    vec![
        record(METHOD_LOAD, clr::RUNTIME, 143),
        record(METHOD_UNLOAD, clr::RUNTIME, 144),
        record(METHOD_DC_END, clr::RUNDOWN, 144),
        record(MODULE_DC_END, clr::RUNDOWN, 154),
        record(MAPPING, clr::UNIVERSAL_SYSTEM, 3),
        record(SYMBOL, clr::UNIVERSAL_SYSTEM, 4),
    ]
}

fn method(id: u64, start: u64, bytes: u32, name: &str) -> Vec<u8> {
    let payload = PayloadWriter::new().u64(id).u64(77).u64(start).u32(bytes).u32(6).u32(0);
    payload.utf16("Shop.Orders").utf16(name).utf16("instance void  (class System.String)").u16(1).u64(0).finish()
}

fn written(metadata_id: u32, timestamp: i64, payload: Vec<u8>) -> Written {
    Written { metadata_id, timestamp, thread: 7, capture_thread: 7, sequence: 1, payload, ..Written::default() }
}

fn symbols_of(format: Format, events: &[Written]) -> Symbols {
    let mut builder = TraceBuilder::new(format);
    builder.metadata(&records());
    if format == Format::Nettrace6 {
        let row = |index, process| ThreadRow { index, process_id: Some(process), ..ThreadRow::default() };
        builder.threads(&[row(7, 1), row(8, 2)]);
    }
    builder.events(events);
    let trace = builder.finish();
    let mut reader = TraceReader::new(trace.as_slice()).expect("a trace");
    let mut symbols = Symbols::new();
    while let Some(event) = reader.next_event().expect("bytes") {
        assert!(symbols.add(&event), "{event:?}");
    }
    symbols
}

#[test]
fn rundown_methods_have_module_name_and_parameters() {
    let module = PayloadWriter::new().u64(77).u64(0).u32(0).u32(0).utf16("/app/Shop.dll").utf16("").u16(1).finish();
    let events = [written(METHOD_DC_END, 9, method(1, 0x1000, 64, "Add")), written(MODULE_DC_END, 9, module)];
    let symbols = symbols_of(Format::Nettrace4, &events);
    let symbol = symbols.resolve(Some(1), 0x103F).expect("the last byte");
    assert_eq!(symbol.to_string(), "Shop!Shop.Orders.Add(class System.String)");
    assert_eq!((symbol.module(), symbol.start(), symbol.bytes()), (Some("Shop"), 0x1000, 64));
    assert_eq!((symbols.resolve(Some(1), 0x1040), symbols.resolve(Some(1), 0xFFF)), (None, None));
    assert_eq!(symbols.resolve(Some(2), 0x1000), None, "another process");
    assert_eq!(symbols.name(Some(1), 0x1040), "0x1040");
    assert_eq!(symbols.len(), 1);
}

#[test]
fn reused_memory_has_code_of_its_time() {
    let events = [
        written(METHOD_LOAD, 10, method(1, 0x1000, 64, "First")),
        written(METHOD_UNLOAD, 20, method(1, 0x1000, 64, "First")),
        written(METHOD_LOAD, 30, method(2, 0x1000, 32, "Second")),
        written(METHOD_DC_END, 90, method(2, 0x1000, 32, "Second")),
    ];
    let symbols = symbols_of(Format::Nettrace4, &events);
    assert_eq!(symbols.len(), 2, "the rundown adds nothing to a known load");
    let at =
        |address, timestamp| symbols.resolve_at(Some(1), address, timestamp).map(|symbol| symbol.name().to_owned());
    let first = Some("Shop.Orders.First(class System.String)".to_owned());
    let second = Some("Shop.Orders.Second(class System.String)".to_owned());
    assert_eq!((at(0x1000, 15), at(0x1000, 35)), (first.clone(), second.clone()));
    assert_eq!((at(0x1000, 5), at(0x1000, 25)), (first.clone(), second.clone()), "a load is recorded late");
    assert_eq!((at(0x1030, 15), at(0x1030, 35)), (first, None));
    assert_eq!(symbols.resolve(Some(1), 0x1000).map(|symbol| symbol.name().to_owned()), second);
}

#[test]
fn truncated_payloads_are_ignored() {
    let whole = method(1, 0x1000, 64, "Add");
    let signature_end = whole.len() - 10;
    for length in 0..signature_end {
        let symbols = symbols_of(Format::Nettrace4, &[written(METHOD_LOAD, 1, whole[..length].to_vec())]);
        assert!(symbols.is_empty(), "{length} bytes");
    }
}

fn mapping(id: u64, start: u64, end: u64, path: &str) -> Vec<u8> {
    let payload = PayloadWriter::new().var_u64(id).var_u64(start).var_u64(end).var_u64(0);
    payload.u16(path.len() as u16).bytes(path.as_bytes()).var_u64(0).finish()
}

fn symbol(mapping: u64, start: u64, last: u64, name: &str) -> Vec<u8> {
    let payload = PayloadWriter::new().var_u64(9).var_u64(mapping).var_u64(start).var_u64(last);
    payload.u16(name.len() as u16).bytes(name.as_bytes()).finish()
}

#[test]
fn machine_wide_traces_have_symbols_by_mapping() {
    let jitted = "instance class [System.Runtime]System.String [shop] Shop.Orders::Add(int32)[Tier1]";
    let kernel = 0xFFFF_8000_0000_0000;
    let of_process_2 = |event: Written| Written { thread: 8, capture_thread: 8, ..event };
    let events = [
        written(MAPPING, 1, mapping(3, 0x1000, 0x3000, "/usr/lib/libc.so.6")),
        of_process_2(written(MAPPING, 1, mapping(3, 0x1000, 0x3000, "/usr/lib/libc.so.6"))),
        written(MAPPING, 1, mapping(4, 0x8000, 0x9000, "/memfd:doublemapper")),
        written(MAPPING, 1, mapping(5, kernel, u64::MAX, "vmlinux")),
        written(SYMBOL, 1, symbol(3, 0x1100, 0x11FF, "malloc")),
        written(SYMBOL, 1, symbol(4, 0x8000, 0x80FF, jitted)),
        written(SYMBOL, 1, symbol(5, kernel, kernel + 7, "entry_SYSCALL_64")),
        written(SYMBOL, 1, symbol(5, kernel + 9, kernel + 8, "empty")),
        written(SYMBOL, 1, symbol(99, 0x1, 0x2, "of no mapping")),
    ];
    let symbols = symbols_of(Format::Nettrace6, &events);
    assert_eq!(symbols.name(Some(1), 0x11FF), "libc.so.6!malloc");
    assert_eq!(symbols.name(Some(2), 0x1100), "libc.so.6!malloc", "the mapping is shared");
    assert_eq!(symbols.name(Some(1), 0x1200), "libc.so.6!0x200");
    assert_eq!(symbols.name(Some(1), 0x8010), "shop!Shop.Orders::Add(int32)");
    assert_eq!(symbols.name(Some(2), 0x8010), "0x8010");
    assert_eq!(symbols.name(None, kernel + 7), "vmlinux!entry_SYSCALL_64", "the kernel is the same everywhere");
    assert_eq!(symbols.len(), 4);
}

#[test]
fn jitted_symbols_are_split_and_others_unchanged() {
    let helper = "stub<1700> AllocateTemporaryEntryPoints<PRECODE_FIXUP>";
    assert_eq!(split_jitted(helper), (None, helper));
    assert_eq!(split_jitted("std::vector<int>::push_back(int&&)"), (None, "std::vector<int>::push_back(int&&)"));
    let array = "void [studio] Studio.Words::Sort(string[])[QuickJitted]";
    assert_eq!(split_jitted(array), (Some("studio"), "Studio.Words::Sort(string[])"));
    let no_tier = "bool [studio] Studio.Primes+<Sieve>d__0::MoveNext()";
    assert_eq!(split_jitted(no_tier), (Some("studio"), "Studio.Primes+<Sieve>d__0::MoveNext()"));
}

#[test]
fn module_names_have_no_path_or_assembly_extension() {
    let names = ["/app/Shop.dll", r"C:\App\Shop.exe", "Shop.ni.dll", "Shop.il.dll", "Shop"].map(module_name);
    assert_eq!(names, ["Shop"; 5]);
    assert_eq!(module_name("/lib/libc.so.6"), "libc.so.6");
}
