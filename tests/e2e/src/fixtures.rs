//! Traces to open, and files that are none.

use crate::{Step, Trouble};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use xtask::server::Server;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Drivers take no paths with dots.
    root.canonicalize().unwrap_or(root)
}

/// The folder of the built page.
pub fn dist() -> PathBuf {
    std::env::var_os("TRACEGLASS_DIST").map_or_else(|| root().join("dist"), PathBuf::from)
}

/// A file of the built page.
///
/// # Errors
/// When there is none of this name.
pub fn built(name: &str) -> Step<Vec<u8>> {
    std::fs::read(dist().join(name)).map_err(|error| Trouble(format!("{name}: {error}")))
}

/// The address of a hosted trace as a part of the page's address.
pub fn escaped(address: &str) -> String {
    address.replace(':', "%3A").replace('/', "%2F")
}

/// A host of traces somewhere else, and the address of one of them.
///
/// # Errors
/// When there is no free port.
pub fn trace_host() -> Step<(Server, String)> {
    let folder = compressed("short-net10.nettrace").parent().map(Path::to_path_buf).unwrap_or_default();
    let server = Server::start(&folder, "/traces/", 0)?;
    let address = format!("{}short-net10.nettrace.gz", server.address());
    Ok((server, address))
}

/// A committed trace, as it is: compressed.
pub fn compressed(name: &str) -> PathBuf {
    let file = format!("{name}.gz");
    let samples = root().join("www/samples").join(&file);
    if samples.is_file() { samples } else { root().join("tests/fixtures").join(file) }
}

/// A committed file that is no trace.
pub fn committed(name: &str) -> PathBuf {
    root().join("tests/fixtures").join(name)
}

/// A committed trace, unpacked.
///
/// # Errors
/// When there is none of this name.
pub fn unpacked(name: &str) -> Step<PathBuf> {
    once(name, |path| {
        let packed = std::fs::File::open(compressed(name)).map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        std::fs::write(path, bytes).map_err(|error| error.to_string())
    })
}

/// A file that many tests open: the first one that asks for it has it made.
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

/// A folder of this program.
///
/// # Errors
/// When it cannot be made.
pub(crate) fn folder(name: &str) -> Step<PathBuf> {
    let folder = temporary().join(name);
    std::fs::create_dir_all(&folder).map_err(|error| Trouble(format!("{}: {error}", folder.display())))?;
    Ok(folder)
}

/// Removes all files that tests needed.
pub(crate) fn remove_all() {
    // They lie where the system clears up anyway.
    let _ = std::fs::remove_dir_all(temporary());
}

fn temporary() -> PathBuf {
    std::env::temp_dir().join(format!("traceglass-e2e-{}", std::process::id()))
}

/// The traces beside the clone, on a machine that has them: `Need::RealTraces`.
pub fn real_traces() -> PathBuf {
    let folder = root().join("../shared/traces");
    // Drivers take no paths with dots.
    folder.canonicalize().unwrap_or(folder)
}

/// A committed trace, compressed with zstd.
///
/// # Errors
/// When there is none of this name.
pub fn in_zstd(name: &str) -> Step<PathBuf> {
    let plain = unpacked(name)?;
    once(&format!("{name}.zst"), |path| {
        let bytes = std::fs::read(plain).map_err(|error| error.to_string())?;
        let packed = ruzstd::encoding::compress_to_vec(bytes.as_slice(), ruzstd::encoding::CompressionLevel::Fastest);
        std::fs::write(path, packed).map_err(|error| error.to_string())
    })
}

/// A trace that was compressed with zstd, unpacked.
///
/// # Errors
/// When the program `zstd` is missing or refuses.
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
