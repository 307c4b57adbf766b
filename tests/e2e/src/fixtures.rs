//! Traces and other files to open.

use crate::{Step, Trouble};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use xtask::server::Server;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Drivers reject paths with dots.
    root.canonicalize().unwrap_or(root)
}

/// Returns the folder of the built page.
pub fn dist() -> PathBuf {
    std::env::var_os("TRACEGLASS_DIST").map_or_else(|| root().join("dist"), PathBuf::from)
}

/// Returns the command-line tool, which `cargo xtask test` builds.
pub fn tool() -> PathBuf {
    let built = || root().join("target/debug").join(format!("traceglass{}", std::env::consts::EXE_SUFFIX));
    std::env::var_os("TRACEGLASS_TOOL").map_or_else(built, PathBuf::from)
}

/// Returns a file or folder of the repository.
pub fn source(path: &str) -> PathBuf {
    root().join(path)
}

/// Returns a file of the built page.
///
/// # Errors
/// Fails if there is none of this name.
pub fn built(name: &str) -> Step<Vec<u8>> {
    std::fs::read(dist().join(name)).map_err(|error| Trouble(format!("{name}: {error}")))
}

/// Returns the URL of a hosted trace, escaped for the page's URL.
pub fn escaped(address: &str) -> String {
    address.replace(':', "%3A").replace('/', "%2F")
}

/// Starts a host of traces with another origin, and returns it with the URL of a trace.
///
/// # Errors
/// Fails if there is no free port.
pub fn trace_host() -> Step<(Server, String)> {
    let folder = compressed("short-net10.nettrace").parent().map(Path::to_path_buf).unwrap_or_default();
    let server = Server::start(&folder, "/traces/", 0)?;
    let address = format!("{}short-net10.nettrace.gz", server.address());
    Ok((server, address))
}

/// Returns the path of a committed trace, which is compressed.
pub fn compressed(name: &str) -> PathBuf {
    let file = format!("{name}.gz");
    let samples = root().join("www/samples").join(&file);
    if samples.is_file() { samples } else { root().join("tests/fixtures").join(file) }
}

/// Returns the path of a committed file that isn't a trace.
pub fn committed(name: &str) -> PathBuf {
    root().join("tests/fixtures").join(name)
}

/// Returns the path of a committed trace, decompressed.
///
/// # Errors
/// Fails if there is none of this name.
pub fn unpacked(name: &str) -> Step<PathBuf> {
    once(name, |path| {
        let packed = std::fs::File::open(compressed(name)).map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        std::fs::write(path, bytes).map_err(|error| error.to_string())
    })
}

/// Returns the path of a file for many tests, which is created for the first one.
fn once(name: &str, make: impl FnOnce(&Path) -> Result<(), String>) -> Step<PathBuf> {
    static MADE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let path = folder("traces")?.join(name);
    if !made.contains(name) {
        make(&path).map_err(|error| Trouble(format!("{name}: {error}")))?;
        made.insert(name.to_owned());
    }
    Ok(path)
}

/// Returns a folder for this program.
///
/// # Errors
/// Fails if it can't be created.
pub(crate) fn folder(name: &str) -> Step<PathBuf> {
    let folder = temporary().join(name);
    std::fs::create_dir_all(&folder).map_err(|error| Trouble(format!("{}: {error}", folder.display())))?;
    Ok(folder)
}

/// Removes all created files.
pub(crate) fn remove_all() {
    // The system cleans its temporary folder anyway.
    let _ = std::fs::remove_dir_all(temporary());
}

fn temporary() -> PathBuf {
    std::env::temp_dir().join(format!("traceglass-e2e-{}", std::process::id()))
}

/// Returns the folder of real traces beside the clone, if it exists: `Need::RealTraces`.
pub fn real_traces() -> PathBuf {
    let folder = root().join("../shared/traces");
    // Drivers reject paths with dots.
    folder.canonicalize().unwrap_or(folder)
}

/// Returns the path of a committed trace, compressed with Zstandard.
///
/// # Errors
/// Fails if there is none of this name.
pub fn in_zstd(name: &str) -> Step<PathBuf> {
    let plain = unpacked(name)?;
    once(&format!("{name}.zst"), |path| {
        let bytes = std::fs::read(plain).map_err(|error| error.to_string())?;
        let packed = ruzstd::encoding::compress_to_vec(bytes.as_slice(), ruzstd::encoding::CompressionLevel::Fastest);
        std::fs::write(path, packed).map_err(|error| error.to_string())
    })
}

/// Returns the path of a trace that was compressed with Zstandard, decompressed.
///
/// # Errors
/// Fails if the program `zstd` is missing or fails.
pub fn unzstd(packed: &Path) -> Step<PathBuf> {
    let name = packed.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    once(&name, |path| {
        let mut zstd = std::process::Command::new("zstd");
        let status = zstd.args(["-dqf", "-o"]).arg(path).arg(packed).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("zstd: {status}")),
            Err(error) => Err(format!("zstd: {error}")),
        }
    })
}
