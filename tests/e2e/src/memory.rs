//! Memory use of the browser in a measurement.

use std::fs::read_to_string;

/// Returns the peak memory of a renderer process of the browsers that this program started; `None` if the system
/// doesn't report it (only Linux does, in `/proc`).
pub fn renderer_peak_bytes() -> Option<u64> {
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|&id| is_renderer(id) && descends_from(id, std::process::id())).filter_map(peak_bytes).max()
}

fn is_renderer(id: u32) -> bool {
    // The last argument of a Firefox process contains its kind.
    let draws = |words: &str| words.contains("--type=renderer") || words.trim_end_matches('\0').ends_with(" tab");
    read_to_string(format!("/proc/{id}/cmdline")).is_ok_and(|words| draws(&words))
}

fn descends_from(mut id: u32, ancestor: u32) -> bool {
    // Chromium's processes are a few generations deep.
    for _ in 0..16 {
        let Some(parent) = number_in_status(id, "PPid:") else { return false };
        if parent == u64::from(ancestor) {
            return true;
        }
        id = parent as u32;
    }
    false
}

fn peak_bytes(id: u32) -> Option<u64> {
    Some(number_in_status(id, "VmHWM:")? * 1024)
}

/// Returns a number from the status of a process: an ID, or kilobytes.
fn number_in_status(id: u32, name: &str) -> Option<u64> {
    let status = read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}
