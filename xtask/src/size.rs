//! What a visitor downloads before the first drop, held to a budget.

use crate::command::{command, step};
use crate::{Outcome, build, paths};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Everything the page fetches before a trace is dropped, the worker included, after `gzip -9`.
pub const BUDGET_BYTES: u64 = 500_000;

/// What the check enforces today, while the budget is not reached: it only ever goes down.
pub const LIMIT_BYTES: u64 = 830_000;

/// What came of the check.
pub enum Verdict {
    /// It was measured.
    Measured {
        /// Whether the budget is kept.
        kept: bool,
    },
    /// A tool is missing, so that the number would say nothing.
    NotChecked,
}

/// Measures `dist/` and prints the table.
///
/// # Errors
/// When `dist/` is missing or cannot be compressed.
pub fn check(optimised: bool) -> Outcome<Verdict> {
    if !optimised {
        println!("size: not checked (built without wasm-opt)");
        return Ok(Verdict::NotChecked);
    }
    if paths::on_path("gzip").is_none() {
        println!("size: not checked (no gzip on PATH)");
        return Ok(Verdict::NotChecked);
    }
    step("size of what is fetched before the first drop (gzip -9)", || {
        let sizes = compressed_sizes()?;
        for (size, file) in &sizes {
            println!("{size:>9}  {}", file.strip_prefix(paths::dist()).unwrap_or(file).display());
        }
        let total: u64 = sizes.iter().map(|(size, _)| size).sum();
        println!("{total:>9}  together; at most {LIMIT_BYTES} today, the goal is {BUDGET_BYTES}");
        Ok(Verdict::Measured { kept: total <= LIMIT_BYTES })
    })
}

/// Every file of `dist/` that is fetched before the first drop, with its size after `gzip -9`, largest first.
///
/// # Errors
/// When `dist/` is missing or cannot be compressed.
pub fn compressed_sizes() -> Outcome<Vec<(u64, PathBuf)>> {
    let mut files = Vec::new();
    build::collect_files(&paths::dist(), &mut files);
    // Samples are fetched when one is clicked.
    files.retain(|file| !file.starts_with(paths::dist().join("samples")));
    if files.is_empty() {
        return Err("dist/ is empty: run `cargo xtask build`".to_owned());
    }
    let mut sizes = files.into_iter().map(|file| Ok((gzipped(&file)?, file))).collect::<Outcome<Vec<_>>>()?;
    sizes.sort_by(|a, b| b.cmp(a));
    Ok(sizes)
}

fn gzipped(file: &Path) -> Outcome<u64> {
    let mut gzip = command("gzip");
    let output = gzip.args(["-9", "--no-name", "--stdout"]).arg(file).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("gzip: {error}"))?;
    if output.status.success() {
        Ok(output.stdout.len() as u64)
    } else {
        Err(format!("gzip could not read {}", file.display()))
    }
}
