//! Names of files that are saved about a trace, which the page and the command line share.

/// Returns the name of a trace without extensions.
pub fn stem(trace: &str) -> &str {
    let lower = trace.to_ascii_lowercase();
    let end = [".nettrace", ".netperf"].iter().find_map(|kind| lower.find(kind)).or_else(|| trace.rfind('.'));
    end.and_then(|end| trace.get(..end)).filter(|stem| !stem.is_empty()).unwrap_or(trace)
}

/// Returns the file name of a copy of a trace: "app-part.nettrace" for "app.nettrace.gz".
pub fn copy_name(trace: &str, is_part: bool, is_masked: bool) -> String {
    let kind = if trace.to_ascii_lowercase().contains(".netperf") { "netperf" } else { "nettrace" };
    let part = if is_part { "-part" } else { "" };
    let masked = if is_masked { "-masked" } else { "" };
    format!("{}{part}{masked}.{kind}", stem(trace))
}

#[cfg(test)]
mod tests {
    use super::copy_name;

    #[test]
    fn masked_copies_have_the_name_of_the_trace() {
        let names = ["app.nettrace.gz", "app.v2.netperf", "day.zip", "app"].map(|name| copy_name(name, false, true));
        assert_eq!(
            names,
            ["app-masked.nettrace", "app.v2-masked.netperf", "day-masked.nettrace", "app-masked.nettrace"]
        );
    }
}
