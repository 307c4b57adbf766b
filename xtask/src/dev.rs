//! Serves the page for development: builds it quickly, rebuilds it when a source changes, and reloads the open page.

use crate::command::step;
use crate::server::Server;
use crate::{Outcome, build, paths};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

/// Interval between checks of the sources.
const INTERVAL: Duration = Duration::from_millis(250);

/// Serves the page on a port until the program is terminated.
///
/// # Errors
/// Fails if the first build fails, or the port is taken.
pub fn serve(port: u16) -> Outcome {
    let mut sources = Sources::read();
    let folder = step("building the page for development", build::dev)?;
    let server = Server::start(&folder, "/", port)?;
    println!(
        "\n  Traceglass is served at {}\n  It is rebuilt after every change to a source. Press Ctrl+C to stop.\n",
        server.address()
    );
    loop {
        sources = sources.changed();
        let start = Instant::now();
        match build::dev() {
            Ok(_) => println!("\n  Rebuilt the page in {:.1} s.\n", start.elapsed().as_secs_f64()),
            Err(message) => println!("\n  {message}\n  The page is unchanged.\n"),
        }
    }
}

/// Sources of the page with their modification times.
#[derive(PartialEq, Eq)]
struct Sources(Vec<(PathBuf, Option<SystemTime>)>);

impl Sources {
    fn read() -> Self {
        let mut files = Vec::new();
        for source in build::SOURCES.iter().chain(&["Cargo.toml"]) {
            build::collect_files(&paths::root().join(source), &mut files);
        }
        files.sort();
        let written = |file: &PathBuf| file.metadata().and_then(|data| data.modified()).ok();
        Self(files.into_iter().map(|file| (file.clone(), written(&file))).collect())
    }

    /// Waits until the sources differ and no more of them change, and returns the new ones.
    fn changed(&self) -> Self {
        let mut latest = Self::read();
        while latest == *self {
            std::thread::sleep(INTERVAL);
            latest = Self::read();
        }
        loop {
            std::thread::sleep(INTERVAL / 2);
            let next = Self::read();
            if next == latest {
                return latest;
            }
            latest = next;
        }
    }
}
