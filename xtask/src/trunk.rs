//! Compares `cargo xtask build` with Trunk: both must create the same files with the same content, before the worker is
//! split and the service worker is added. So `trunk serve` and `trunk build` keep working for Trunk users.

use crate::command::{cargo, run, step};
use crate::{Outcome, build, paths, tools};
use std::path::Path;

/// Builds the page with both and compares the results.
///
/// # Errors
/// Fails if Trunk can't be installed, a build fails, or the results differ; the message names the files.
pub fn compare() -> Outcome {
    let mut trunk = tools::trunk()?;
    let folder = paths::target().join("page");
    let (ours, theirs) = (folder.join("ours"), folder.join("trunk"));
    step("building the page as Trunk does", || build::like_trunk(&ours))?;
    // Trunk would download its own copies of the other tools.
    step("fetching crates", || run(cargo().args(["fetch", "--quiet"])))?;
    step("building the page with Trunk", || {
        trunk.args(["build", "--release", "--offline=true", "--dist"]).arg(&theirs);
        run(trunk.env("TRACEGLASS_BUILD", build::build_id()))
    })?;
    let differences = differences(&ours, &theirs)?;
    if differences.is_empty() { Ok(()) } else { Err(format!("Trunk's page differs: {}", differences.join(", "))) }
}

/// Returns the names of files that differ, or are in one folder only.
fn differences(one: &Path, other: &Path) -> Outcome<Vec<String>> {
    let mut names = Vec::new();
    for folder in [one, other] {
        let mut files = Vec::new();
        build::collect_files(folder, &mut files);
        names.extend(files.iter().filter_map(|file| file.strip_prefix(folder).ok()).map(Path::to_path_buf));
    }
    names.sort();
    names.dedup();
    if names.is_empty() {
        return Err("both pages are empty".to_owned());
    }
    names.retain(|name| match (std::fs::read(one.join(name)), std::fs::read(other.join(name))) {
        (Ok(one), Ok(other)) => one != other,
        _ => true,
    });
    Ok(names.iter().map(|name| name.display().to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::differences;

    #[test]
    fn different_or_missing_files_are_named() {
        let folder = std::env::temp_dir().join(format!("traceglass-trunk-{}", std::process::id()));
        for (name, content) in [("a/same", "1"), ("b/same", "1"), ("a/in/x", "1"), ("b/in/x", "2"), ("b/only", "1")] {
            let file = folder.join(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a temporary folder");
            std::fs::write(file, content).expect("a temporary file");
        }
        assert_eq!(differences(&folder.join("a"), &folder.join("b")), Ok(vec!["in/x".to_owned(), "only".to_owned()]));
        assert!(differences(&folder.join("none"), &folder.join("none")).is_err());
        std::fs::remove_dir_all(folder).expect("the temporary folder");
    }
}
