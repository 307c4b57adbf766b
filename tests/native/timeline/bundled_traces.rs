//! Descriptions of the bundled traces on the start page match their content.

use super::recorded::{ask, trace};
use protocol::queries;
use protocol::request::Filter;
use view::events::histogram::Histogram;
use view::page::bundled_traces::{BARS, SAMPLES, Sample, VIEW_BOX};

fn packed(sample: &Sample) -> String {
    format!("www/samples/{}.nettrace.gz", sample.name)
}

#[test]
fn bundled_traces_match_descriptions() {
    for sample in SAMPLES {
        let mut session = trace(&packed(&sample));
        let span = session.summary().user_span;
        let density = queries::Density { filter: Filter::default(), span, buckets: BARS as u32 };
        let sketch = Histogram::new(&ask(&mut session, &density));
        let bytes = crate::common::root().join(packed(&sample)).metadata().expect("a file").len();
        let (seconds, megabytes) = (span.duration() as f64 / 1e9, bytes as f64 / 1e6);
        assert!(sample.line.ends_with(&format!(" · {seconds:.1} s · {megabytes:.1} MB")), "{}", sample.line);
        assert_eq!(
            (sketch.view_box().as_str(), sketch.outline().as_str()),
            (VIEW_BOX, sample.outline),
            "{}",
            sample.name
        );
    }
}

#[test]
fn bundled_gc_trace_has_described_gcs() {
    let sample = SAMPLES.iter().find(|sample| sample.name == "gc").expect("one about collections");
    let mut session = trace(&packed(sample));
    let gcs = ask(&mut session, &queries::Gcs { filter: Filter::default() });
    let gen2 = gcs.generation.iter().filter(|generation| **generation == 2).count();
    let words = format!("{} GCs, {gen2} gen 2 · ", gcs.generation.len());
    assert!(sample.line.starts_with(&words), "{}", sample.line);
}
