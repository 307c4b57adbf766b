//! `traceglass export`: writes call stacks to a file for other profilers.

use super::arguments::{Trace, check_output, misuse};
use super::stack_options::{StackOptions, formats};
use super::stacks::{export, open};
use super::text::Output;
use super::{Stop, create};
use protocol::stacks::format::StackFormat;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Write call stacks to a file
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Without --format, the file extension selects the format: .folded.txt, .speedscope.json, .firefox.json, .trace.json
(chrome), .pb (pprof) or .csv.

Examples:
  traceglass export app.nettrace app.speedscope.json")]
pub struct ExportCommand {
    #[command(flatten)]
    trace: Trace,
    /// File to write
    out: PathBuf,
    /// Output format
    #[arg(long, value_parser = formats())]
    format: Option<StackFormat>,
    #[command(flatten)]
    options: StackOptions,
}

impl ExportCommand {
    pub(super) fn run(self, notes: &mut Output<'_>) -> Result<(), Stop> {
        check_output(&self.out, &self.trace.file)?;
        let format = self.format.map_or_else(|| format_of_name(&self.out), Ok)?;
        self.options.check(format)?;
        let mut session = open(&self.trace, &self.options, notes)?;
        // Invalid options leave no file.
        let export = export(&mut session, self.options, format)?;
        let mut file = BufWriter::new(create(&self.out)?);
        export.write(&mut file)?;
        Ok(file.flush()?)
    }
}

fn format_of_name(path: &Path) -> Result<StackFormat, Stop> {
    let name = path.to_string_lossy().to_lowercase();
    let found = StackFormat::ALL.into_iter().find(|format| name.ends_with(format.ending()));
    found.ok_or_else(|| misuse(format_args!("can't infer the format from “{}”; pass --format", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn export_format_follows_file_extension() {
        for format in StackFormat::ALL {
            let name = format!("app{}", format.ending().to_uppercase());
            assert!(matches!(format_of_name(Path::new(&name)), Ok(found) if found == format), "{name}");
        }
        assert!(format_of_name(Path::new("app.txt")).is_err());
    }
}
