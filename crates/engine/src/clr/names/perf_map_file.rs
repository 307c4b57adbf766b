//! Parser of `perf-PID.map` files, which name jitted code, one range per line.

/// Range of code with its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerfMapLine<'t> {
    /// Address of the first byte.
    pub start: u64,
    /// Size in bytes.
    pub size: u64,
    pub symbol: &'t str,
}

/// Returns the ranges of a file, in order; invalid lines are ignored.
pub fn perf_map_lines(text: &str) -> impl Iterator<Item = PerfMapLine<'_>> {
    text.lines().filter_map(|line| {
        let (start, rest) = line.split_once(' ')?;
        let (size, symbol) = rest.split_once(' ')?;
        let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok();
        let (start, size, symbol) = (number(start)?, number(size)?, symbol.trim());
        (size > 0 && !symbol.is_empty()).then_some(PerfMapLine { start, size, symbol })
    })
}

/// Returns the process ID in a file name.
pub fn perf_map_process(name: &str) -> Option<u32> {
    name.strip_prefix("perf-")?.strip_suffix(".map")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_address_length_and_name() {
        let text = "7f4c0080 1c0 int32 [Shop] Shop.Program::Main(string[])[OptimizedTier1]\r\n\nnonsense\n10 zz a\n0x20 0 none\n20 8 \n0x30 8 stub <1>\n";
        let lines: Vec<_> = perf_map_lines(text).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!((lines[0].start, lines[0].size), (0x7f4c_0080, 0x1c0));
        assert!(lines[0].symbol.ends_with("[OptimizedTier1]"));
        assert_eq!(lines[1], PerfMapLine { start: 0x30, size: 8, symbol: "stub <1>" });
        assert_eq!(perf_map_lines("").count(), 0);
    }

    #[test]
    fn file_name_has_process_id() {
        let names = ["perf-4127.map", "perf-.map", "perf-1.txt", "perf-99999999999.map", "map"];
        assert_eq!(names.map(perf_map_process), [Some(4127), None, None, None, None]);
    }
}
