//! Detects the type of files that aren't traces, so that the failure can name it.

/// File type, detected from the first bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileKind {
    /// Noun phrase: "a PNG image".
    pub what: String,
    /// Advice on what to do with the file: "Open it in …"; may be empty.
    pub advice: &'static str,
    /// True if the file is a placeholder for the trace, such as a Git LFS pointer.
    pub is_pointer: bool,
}

/// Number of first bytes that [`FileKind::of`] needs.
pub const PREFIX_BYTES: usize = 4096;

/// Magic bytes at the start: (bytes, type, advice).
const MAGIC: &[(&[u8], &str, &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "a PNG image", ""),
    (b"\xff\xd8\xff", "a JPEG image", ""),
    (b"GIF8", "a GIF image", ""),
    (b"%PDF-", "a PDF document", ""),
    (b"PK\x03\x04", "a ZIP archive", ""),
    (b"\x1f\x8b", "gzip-compressed data", ""),
    (b"\x28\xb5\x2f\xfd", "Zstandard-compressed data", ""),
    (b"MSCF", "a Windows cabinet (CAB)", "Extract it and open the .nettrace file inside."),
    (b"\xc1\x1f\xfc\xc1", "a CTF trace (LTTng)", "Open it in Trace Compass or with babeltrace."),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document or Windows installer", ""),
    (b"RIFF", "a RIFF file (audio, video or image)", ""),
    (b"\xfd7zXZ\x00", "xz-compressed data", "Decompress it first (xz -d)."),
    (b"BZh", "bzip2-compressed data", "Decompress it first (bzip2 -d)."),
    (b"\x04\x22\x4d\x18", "LZ4-compressed data", "Decompress it first (lz4 -d)."),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "Extract it and open the .nettrace file inside."),
    (b"Rar!\x1a\x07", "a RAR archive", "Extract it and open the .nettrace file inside."),
    (b"MDMP", "a Windows memory dump", "Open it in a debugger, or with dotnet-dump."),
    (b"PAGEDU64", "a Windows kernel dump", "Open it in a debugger."),
    (
        b"PERFILE2",
        "a perf.data file (Linux perf)",
        "Open it with perf, or at profiler.firefox.com after “perf script”.",
    ),
    (b"FLR\x00", "a Java Flight Recorder file", "Open it in JDK Mission Control."),
    (b"JAVA PROFILE", "a Java heap dump", ""),
    (b"SQLite format 3\x00", "an SQLite database", ""),
    (b"Microsoft C/C++ MSF", "a PDB symbol file", ""),
    (b"BSJB", "a portable PDB symbol file", ""),
    (b"\x00asm", "a WebAssembly program", ""),
    (b"\xcf\xfa\xed\xfe", "a macOS program or core dump", ""),
    (b"\xca\xfe\xba\xbe", "a macOS program or Java class", ""),
    (b"MZ", "a Windows program or .NET assembly (PE)", ""),
];

/// Words near the start of a JSON file: (word, type, advice). The first match counts.
const JSON_WORDS: &[(&str, &str, &str)] = &[
    ("speedscope", "a speedscope profile (JSON)", "Open it at speedscope.app, or open the .nettrace it was made from."),
    ("\"traceEvents\"", "a Chrome trace (JSON)", "Open it at ui.perfetto.dev, or open the .nettrace it was made from."),
    ("\"ph\"", "a Chrome trace (JSON)", "Open it at ui.perfetto.dev, or open the .nettrace it was made from."),
    ("\"preprocessedProfileVersion\"", "a Firefox profile (JSON)", "Open it at profiler.firefox.com."),
    ("\"TargetProcess\"", "dotnet-counters output (JSON)", ""),
    ("\"callFrame\"", "a V8 CPU profile (JSON)", "Open it in the browser's developer tools."),
    ("\"meta\"", "a Firefox profile (JSON)", "Open it at profiler.firefox.com."),
];

/// First characters of text files that stand for large files in Git: (start, type, advice).
const POINTERS: &[(&str, &str, &str)] = &[
    ("version https://git-lfs.github.com/spec/", "a Git LFS pointer", "Run git lfs pull."),
    // Name of the specification before its first release.
    ("version https://hawser.github.com/spec/", "a Git LFS pointer", "Run git lfs pull."),
    ("/annex/objects/", "a git-annex pointer", "Run git annex get."),
];

/// Types of the first object of a trace.
const TRACE_TYPES: [&str; 2] = ["Trace", "Microsoft.DotNet.Runtime.EventPipeFile"];

impl FileKind {
    /// Detects the type from the first kilobytes of a file.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        Self::of_relative(bytes)
            .or_else(|| of_elf(bytes))
            .or_else(|| of_magic(bytes))
            .or_else(|| of_event_trace_log(bytes))
            .or_else(|| of_tar(bytes))
            .or_else(|| of_zeros(bytes))
            .or_else(|| of_text(bytes))
    }

    /// Detects files in the serialization format of old traces that contain other objects.
    pub fn of_relative(bytes: &[u8]) -> Option<Self> {
        let at = position(bytes.get(..64.min(bytes.len()))?, b"!FastSerialization.1")?;
        let after = bytes.get(at + 20..)?;
        let head = after.get(..256.min(after.len()))?;
        let name = serialized_type_name(after);
        if name.is_some_and(|name| TRACE_TYPES.contains(&name)) {
            return None;
        }
        Some(if position(head, b"GCHeapDump").is_some() {
            let what = "a .gcdump (GC heap snapshot)";
            Self::new(what, "Open it in PerfView, or with “dotnet-gcdump report”.")
        } else if position(head, b"TraceLog").is_some() {
            Self::new("an .etlx file (PerfView's converted trace)", "Open the .nettrace it was made from.")
        } else {
            let name = name.map_or(String::new(), |name| format!(" of the type “{name}”"));
            Self::new(format!("an object{name} saved by PerfView's serializer"), "")
        })
    }

    fn new(what: impl Into<String>, advice: &'static str) -> Self {
        Self { what: what.into(), advice, is_pointer: false }
    }
}

fn of_magic(bytes: &[u8]) -> Option<FileKind> {
    let &(_, what, advice) = MAGIC.iter().find(|(magic, ..)| bytes.starts_with(magic))?;
    Some(FileKind::new(what, advice))
}

/// Returns the type name of the first object: two begin tags, a null tag, two versions, a length and the name.
fn serialized_type_name(after: &[u8]) -> Option<&str> {
    let length = u32::from_le_bytes(after.get(11..15)?.try_into().ok()?) as usize;
    let name = after.get(15..15usize.checked_add(length)?)?;
    std::str::from_utf8(name).ok().filter(|name| name.len() <= 128 && name.chars().all(|c| !c.is_control()))
}

fn of_elf(bytes: &[u8]) -> Option<FileKind> {
    const CORE: u8 = 4;
    let kind = bytes.strip_prefix(b"\x7fELF")?.get(12).copied();
    Some(if kind == Some(CORE) {
        FileKind::new("a Linux core dump (ELF)", "Open it with dotnet-dump.")
    } else {
        FileKind::new("a Linux program or library (ELF)", "")
    })
}

/// Detects an ETW log: a buffer header of 72 bytes whose first field is the size of the buffer, followed by the
/// system's trace header event with the marker 0xC0 and the header type 1 or 2 (evntrace.h).
fn of_event_trace_log(bytes: &[u8]) -> Option<FileKind> {
    let buffer_bytes = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
    let (header_type, marker) = (*bytes.get(0x4a)?, *bytes.get(0x4b)?);
    let plausible = buffer_bytes >= 1024 && buffer_bytes % 1024 == 0 && buffer_bytes <= 64 << 20;
    (plausible && matches!(header_type, 1 | 2) && marker == 0xc0).then(|| {
        FileKind::new(
            "an .etl file (Event Tracing for Windows)",
            "Open it in PerfView or Windows Performance Analyzer.",
        )
    })
}

fn of_tar(bytes: &[u8]) -> Option<FileKind> {
    (bytes.get(257..262)? == b"ustar")
        .then(|| FileKind::new("a tar archive", "Extract it and open the .nettrace file inside."))
}

fn of_zeros(bytes: &[u8]) -> Option<FileKind> {
    (bytes.len() >= 8 && bytes.iter().all(|&byte| byte == 0))
        .then(|| FileKind::new("unwritten data (all zeros)", "It was probably never completely written."))
}

fn of_text(bytes: &[u8]) -> Option<FileKind> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Some(FileKind::new("UTF-16 text", ""));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let bytes = &bytes[..bytes.len().min(PREFIX_BYTES)];
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // The prefix may end inside a character.
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?,
        Err(_) => return None,
    };
    let text = text.trim_start();
    if text.is_empty() || text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\x0c' | '\x1b')) {
        return None;
    }
    if let Some(&(_, what, advice)) = POINTERS.iter().find(|(start, ..)| text.starts_with(start)) {
        return Some(FileKind { is_pointer: true, ..FileKind::new(what, advice) });
    }
    let lower = text.get(..64).unwrap_or(text).to_ascii_lowercase();
    Some(if text.starts_with(['{', '[']) {
        of_json(text)
    } else if lower.starts_with("<!doctype html") || lower.starts_with("<html") {
        FileKind::new("a web page (HTML)", "If it came from a download, the server probably asked for a sign-in.")
    } else if lower.starts_with("<?xml") {
        FileKind::new("an XML document", "")
    } else {
        FileKind::new("plain text", "")
    })
}

fn of_json(text: &str) -> FileKind {
    JSON_WORDS
        .iter()
        .find(|(word, ..)| text.contains(word))
        .map_or_else(|| FileKind::new("a JSON document", ""), |&(_, what, advice)| FileKind::new(what, advice))
}

fn position(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(bytes: &[u8]) -> String {
        FileKind::of(bytes).map_or(String::new(), |kind| kind.what)
    }

    #[test]
    fn common_files_are_named() {
        assert_eq!(what(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "a PNG image");
        assert_eq!(what(b"PK\x03\x04\x14\0"), "a ZIP archive");
        assert_eq!(what(b"MZ\x90\0"), "a Windows program or .NET assembly (PE)");
        assert_eq!(what(b"\x28\xb5\x2f\xfd\x04"), "Zstandard-compressed data");
        assert_eq!(what(b"\n <!DOCTYPE html><html>"), "a web page (HTML)");
        assert_eq!(what("größer als gedacht".as_bytes()), "plain text");
        assert_eq!(what(&[0; 64]), "unwritten data (all zeros)");
        assert_eq!(what(b"\x01\x02\xfe\xf3garbage"), "");
        assert_eq!(what(b"<?xml version=\"1.0\"?>"), "an XML document");
        assert_eq!(what(b"\xff\xfet\0e\0x\0t\0"), "UTF-16 text");
        let mut tar = vec![b'a'; 512];
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(what(&tar), "a tar archive");
    }

    #[test]
    fn large_file_pointers_are_named() {
        let lfs = include_bytes!("../../../../../tests/fixtures/cases/lfs.nettrace");
        assert_eq!(what(lfs), "a Git LFS pointer");
        // A checkout with other line endings, and an editor that adds a byte order mark.
        assert_eq!(
            what(b"\xef\xbb\xbfversion https://git-lfs.github.com/spec/v1\r\noid sha256:0"),
            "a Git LFS pointer"
        );
        assert_eq!(what(b"/annex/objects/SHA256E-s12345--4d7a.nettrace\n"), "a git-annex pointer");
        assert_eq!(what(b"version 2 of the report"), "plain text");
    }

    #[test]
    fn magic_numbers_are_found_with_any_suffix() {
        for (magic, expected, advice) in MAGIC {
            let kind = FileKind::of(&[magic, &[3; 600][..]].concat()).expect("a kind");
            assert_eq!((kind.what.as_str(), kind.advice), (*expected, *advice));
        }
    }

    #[test]
    fn traces_have_no_file_kind() {
        for trace in ["short-net10.nettrace", "orders-net21.netperf", "cpu-v6-net10.nettrace"] {
            let file = format!("{}/../../tests/fixtures/{trace}.gz", env!("CARGO_MANIFEST_DIR"));
            let mut bytes = Vec::new();
            let packed = std::fs::File::open(file).expect("a fixture");
            let mut content = std::io::Read::take(flate2::read::GzDecoder::new(packed), PREFIX_BYTES as u64);
            std::io::Read::read_to_end(&mut content, &mut bytes).expect("a fixture");
            assert_eq!(FileKind::of(&bytes), None, "{trace}");
        }
    }

    #[test]
    fn elf_core_dumps_differ_from_programs() {
        let mut elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
        elf.extend([4, 0]);
        assert_eq!(what(&elf), "a Linux core dump (ELF)");
        elf[16] = 3;
        assert_eq!(what(&elf), "a Linux program or library (ELF)");
    }

    #[test]
    fn json_profiles_are_detected_by_content() {
        let speedscope = br#"{"exporter":"x","$schema":"https://www.speedscope.app/file-format-schema.json"}"#;
        assert_eq!(what(speedscope), "a speedscope profile (JSON)");
        assert_eq!(what(br#"{"traceEvents":[]}"#), "a Chrome trace (JSON)");
        assert_eq!(what(br#"{"meta":{"interval":1},"libs":[]}"#), "a Firefox profile (JSON)");
        assert_eq!(what(br#"{"displayTimeUnit":"ns","traceEvents":[]}"#), "a Chrome trace (JSON)");
        assert_eq!(what(br#"[{"name":"a","ph":"X","ts":1}]"#), "a Chrome trace (JSON)");
        assert_eq!(what(br#"{"nodes":[{"id":1,"callFrame":{}}]}"#), "a V8 CPU profile (JSON)");
        assert_eq!(what(br#"{"TargetProcess":"web","Events":[]}"#), "dotnet-counters output (JSON)");
        assert_eq!(what(b"\xef\xbb\xbf[1,2]"), "a JSON document");
    }

    #[test]
    fn files_of_same_serializer_are_named_by_object() {
        let file = |name: &str| {
            let mut bytes = b"\x14\0\0\0!FastSerialization.1\x05\x05\x01".to_vec();
            bytes.extend([2, 0, 0, 0, 0, 0, 0, 0]);
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
            bytes
        };
        assert!(what(&file("GCHeapDump")).starts_with("a .gcdump"));
        assert!(what(&file("Microsoft.Diagnostics.Tracing.Etlx.TraceLog")).starts_with("an .etlx"));
        assert!(what(&file("Some.Type")).contains("“Some.Type”"));
    }

    #[test]
    fn windows_event_logs_are_detected_by_first_event() {
        let mut etl = vec![0u8; 128];
        etl[..4].copy_from_slice(&0x10000u32.to_le_bytes());
        etl[0x48..0x4c].copy_from_slice(&[2, 0, 2, 0xc0]);
        assert!(what(&etl).starts_with("an .etl file"));
    }
}
