//! Tests the labels of threads, which follow from the code they run.

use super::reference::recording;
use crate::analysis::testing::{What, store_of_program};

fn labels(methods: &[(&str, &str)], stacks: &[(u64, &[u64])]) -> Vec<String> {
    let event = |(at, (thread, stack)): (i64, &(u64, &[u64]))| {
        (at, *thread, What::StackedOrder("sku", 1, stack.to_vec())) //
    };
    let happenings: Vec<_> = (0..).zip(stacks).map(event).collect();
    let (store, _) = store_of_program(methods, &happenings);
    let named = store.threads.iter().filter(|thread| thread.os_thread >= 5);
    named.map(|thread| thread.numbered_label()).collect()
}

const METHODS: [(&str, &str); 6] = [
    ("System.Threading.Thread", "StartCallback"),
    ("Shop.Threads", "Start"),
    ("Shop.PriceFeed", "Run"),
    ("Shop.AuditWriter", "Loop"),
    ("System.IO.FileSystemWatcher+RunningInstance", "ProcessEvents"),
    ("Shop.AuditWriter", "Write"),
];

#[test]
fn start_method_of_several_threads_is_not_a_label() {
    let both = [(5, &[1, 2, 3][..]), (6, &[1, 2, 4][..]), (6, &[1, 2, 4, 6][..])];
    assert_eq!(labels(&METHODS, &both), ["PriceFeed · 5", "AuditWriter · 6"]);
    assert_eq!(labels(&METHODS, &[(5, &[1, 2, 3]), (6, &[1, 2, 3])]), ["Threads · 5", "Threads · 6"]);
    assert_eq!(
        labels(&METHODS, &[(5, &[1, 2, 3]), (5, &[1, 2, 4]), (6, &[1, 2, 4])]),
        ["Threads · 5", "Threads · 6"],
        "what calls several methods on one thread is what it runs"
    );
    let lambda = ("Shop.Threads+<>c", "<Start>b__0_0");
    let methods = [METHODS[0], lambda, METHODS[2], METHODS[3], METHODS[4], METHODS[5]];
    assert_eq!(labels(&methods, &[(5, &[1, 2, 3]), (6, &[1, 2, 3])]), ["PriceFeed · 5", "PriceFeed · 6"]);
}

#[test]
fn dotnet_threads_are_labeled_by_purpose() {
    assert_eq!(labels(&METHODS, &[(5, &[1, 5]), (6, &[1])]), ["File watcher · 5", "Thread 6"]);
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn recorded_threads_are_labeled_by_code() {
    let labels = |name: &str| {
        let recording = recording(name)?;
        let named =
            recording.store.threads.iter().filter_map(|thread| Some((thread.os_id()?, thread.first_code.clone()?)));
        Some(named.collect::<std::collections::BTreeMap<u64, String>>())
    };
    // Each thread runs something else below the same two methods.
    if let Some(labels) = labels("cpu-net10.nettrace") {
        let of = |thread: u64| labels.get(&thread).map(String::as_str);
        assert_eq!([1235, 1236, 1237].map(of), ["RayTracer", "RayTracer", "Parser"].map(Some), "{labels:?}");
        assert_eq!([1238, 1239, 1240].map(of), ["Puzzles", "Sorting", "Program.Burst"].map(Some), "{labels:?}");
    }
    // No samples.
    if let Some(labels) = labels("gc-net10.nettrace") {
        let of = |thread: u64| labels.get(&thread).map(String::as_str);
        assert_eq!([1340, 1341, 1342].map(of), [Some("Program.Clerk"); 3], "{labels:?}");
    }
    for name in ["cpu-net10.nettrace", "cpu-v6-net10.nettrace", "gc-net10.nettrace", "drops-net10.nettrace"] {
        let named = labels(name).unwrap_or_default();
        assert!(named.values().all(|label| !label.contains("stub") && !label.contains("Truth")), "{name}: {named:?}");
    }
}
