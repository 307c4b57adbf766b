//! Memory of the browser that a measurement drives.

use std::fs::read_to_string;

/// Most memory that a process which draws pages ever had, of the browsers that this program started; none where the
/// system doesn't report it (only Linux does, in `/proc`).
pub fn renderer_peak_bytes() -> Option<u64> {
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|&id| is_renderer(id) && descends_from(id, std::process::id())).filter_map(peak_bytes).max()
}

fn is_renderer(id: u32) -> bool {
    // Firefox names what a process is for in its last word.
    let draws = |words: &str| words.contains("--type=renderer") || words.trim_end_matches('\0').ends_with(" tab");
    read_to_string(format!("/proc/{id}/cmdline")).is_ok_and(|words| draws(&words))
}

fn descends_from(mut id: u32, ancestor: u32) -> bool {
    // Chromium's processes are few generations deep.
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

/// A number of a process's status: an id, or kilobytes.
fn number_in_status(id: u32, name: &str) -> Option<u64> {
    let status = read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}
