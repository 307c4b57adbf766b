//! Writes the seeds of the fuzz targets into a folder: `seeds FOLDER`.

use std::path::PathBuf;
use traceglass_fuzz::containers::samples;
use traceglass_fuzz::traces::{VERSIONS, trace};

fn main() {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: seeds FOLDER");
        return;
    };
    std::fs::create_dir_all(&folder).expect("a folder to write into");
    for version in VERSIONS {
        for (compressed, name) in [(true, "compressed"), (false, "plain")] {
            let path = folder.join(format!("version-{version}-{name}"));
            std::fs::write(path, trace(version, compressed, 2)).expect("room for a seed");
        }
    }
    for (name, file) in samples(&trace(4, true, 2)) {
        std::fs::write(folder.join(name), file).expect("room for a seed");
    }
}
