//! `traceglass view`: serves the page and traces on this computer, and opens the browser.

mod browser;
mod lifetime;
mod page;
mod request;
mod saved_page;
mod server;
mod site;

use super::arguments::check_output;
use super::open::{open_silently, split, unreadable};
use super::text::{Output, line};
use super::{Stop, create, excerpt, redact};
use page::Page;
use protocol::file_names::copy_name;
use protocol::{Failure, FailureCode, format};
use saved_page::Content;
use server::Server;
pub(super) use site::encoded;
use site::{ServedFile, Site};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time without an open page after which the server ends. Reloading a page takes less time.
const GRACE: Duration = Duration::from_secs(5);

/// Open traces in the browser
///
/// Serves the built-in page and your files on 127.0.0.1 only, at a random URL, and opens the browser there.
/// Exits when you close the page or press Ctrl+C. Nothing leaves this computer.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
On a computer without a browser, forward the port, and open the printed URL in your local browser:
  ssh -L 8000:127.0.0.1:8000 server traceglass view --no-open --port 8000 app.nettrace

Examples:
  traceglass view app.nettrace
  traceglass view before.nettrace after.nettrace.gz
  traceglass view --follow recording.nettrace
  traceglass view 'capture.zip!day/app.nettrace'
  traceglass view shop.nettrace payments.nettrace --html both.html")]
pub struct ViewCommand {
    /// Traces to open, each in its own browser tab
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Follow an uncompressed trace while it's being recorded. The page updates less often as the trace grows
    #[arg(long)]
    follow: bool,
    /// Write a page that contains the viewer and the traces, on one timeline, instead of serving them
    #[arg(long, value_name = "OUT", conflicts_with_all = ["follow", "no_open", "port"])]
    html: Option<PathBuf>,
    /// With --html: mask private text in all traces, like the redact command
    #[arg(long, requires = "html")]
    redact: bool,
    /// Print the URLs without opening the browser
    #[arg(long)]
    no_open: bool,
    /// Port to listen on. By default, any free port
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Serve the page in FOLDER instead of the built-in page
    #[arg(long, value_name = "FOLDER")]
    page: Option<PathBuf>,
}

impl ViewCommand {
    pub(super) fn run(self, output: &mut Output<'_>, notes: &mut Output<'_>) -> Result<(), Stop> {
        if let Some(out) = &self.html {
            let saved = SavedPage { out, folder: self.page.as_deref(), is_masked: self.redact };
            return Ok(line!(output, "{}", saved.write(&self.files, &Combined::Timeline)?)?);
        }
        let files = self.files.iter().map(|path| served_file(path)).collect::<Result<Vec<_>, _>>()?;
        let page = page_of(self.page.as_deref())?;
        let site = Site::new(page, files, self.follow).map_err(|error| failure("can't create a random URL", &error))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port));
        let listener = listener.map_err(|error| failure(&format!("can't listen on port {}", self.port), &error))?;
        let server = Server::start(listener, site)?;
        for url in server.urls() {
            line!(output, "{url}")?;
        }
        // Nothing else is printed while the server runs.
        output.flush()?;
        let note = "To stop, close the page or press Ctrl+C.";
        if self.no_open || server.open_pages(browser::open) {
            line!(notes, "{note}")?;
        } else {
            line!(notes, "note: can't open the browser. Open the URL above. {note}")?;
        }
        notes.flush()?;
        server.wait_until_closed(GRACE);
        Ok(())
    }
}

/// Returns the page in a folder, or the built-in page.
fn page_of(folder: Option<&Path>) -> Result<Page, Failure> {
    let page = match folder {
        Some(folder) => Page::in_folder(folder).map_err(|error| unreadable(folder, &error))?,
        None => Page::embedded(),
    };
    page.ok_or_else(|| missing_page(folder))
}

/// How the traces of a page are combined.
pub(super) enum Combined<'u> {
    /// On one timeline.
    Timeline,
    /// The first one is the old one of a comparison. The choices are as in a URL.
    Compare(&'u str),
}

/// Page to write, which contains the viewer and traces.
pub(super) struct SavedPage<'p> {
    pub(super) out: &'p Path,
    /// Folder with the page, instead of the built-in page.
    pub(super) folder: Option<&'p Path>,
    /// True to mask private text.
    pub(super) is_masked: bool,
}

impl SavedPage<'_> {
    /// Writes the page. Returns a sentence about it.
    pub(super) fn write(&self, traces: &[PathBuf], combined: &Combined<'_>) -> Result<String, Stop> {
        let page = page_of(self.folder)?;
        // One for all traces, so that equal words have equal masks.
        let redaction = self.is_masked.then(redact::of_all_private_text);
        let mut contents = Vec::new();
        let (mut titles, mut view) = (Vec::new(), String::new());
        for (nth, trace) in traces.iter().enumerate() {
            let (path, entry) = split(trace);
            check_output(self.out, &path)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let (name, entry, bytes): (_, _, Box<dyn Read>) = match &redaction {
                Some(redaction) => {
                    let masked = excerpt::masked(&mut open_silently(trace, None)?, redaction)?;
                    (copy_name(&name, false, true), None, Box::new(io::Cursor::new(masked)))
                }
                None => (name, entry, Box::new(File::open(&path).map_err(|error| unreadable(&path, &error))?)),
            };
            if nth > 0 && matches!(combined, Combined::Timeline) {
                view += "&how=add";
            }
            view += &format!("&file={}", encoded(&name));
            view += &entry.map_or(String::new(), |entry| format!("&entry={}", encoded(&entry)));
            titles.push(name.clone());
            contents.push(Content { about: vec![("name", name)], bytes });
        }
        let view = match combined {
            Combined::Timeline => format!("#/summary?v=1{view}"),
            Combined::Compare(choices) => format!("#/compare?v=1{view}{choices}"),
        };
        let mut writer = BufWriter::new(create(self.out)?);
        let written = saved_page::write(&page, &mut contents, &titles.join(", "), &view, &mut writer);
        let size = written.and_then(|()| writer.flush()).and_then(|()| writer.get_ref().metadata());
        let bytes = size.map_err(|error| Stop::File(self.out.to_owned(), error))?.len();
        Ok(self.words(bytes, traces.len()))
    }

    fn words(&self, bytes: u64, traces: usize) -> String {
        let what = match (self.is_masked, traces) {
            (true, 1) => "the trace with masked text".to_owned(),
            (true, traces) => format!("{traces} traces with masked text"),
            (false, 1) => "the whole trace with all its text".to_owned(),
            (false, traces) => format!("{traces} whole traces with all their text"),
        };
        format!("{}: {}, the viewer and {what}.", self.out.display(), format::bytes(bytes))
    }
}

/// Opens a trace, or the archive of a trace.
fn served_file(path: &Path) -> Result<ServedFile, Failure> {
    let (path, entry) = split(path);
    let file = File::open(&path).map_err(|error| unreadable(&path, &error))?;
    let facts = file.metadata().map_err(|error| unreadable(&path, &error))?;
    if !facts.is_file() {
        return Err(Failure::new(FailureCode::Unreadable, format!("Can't read “{}”: it isn't a file", path.display())));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(ServedFile::new(name, file, entry))
}

fn failure(what: &str, error: &io::Error) -> Failure {
    Failure::new(FailureCode::Unreadable, format!("{what}: {error}"))
}

fn missing_page(folder: Option<&Path>) -> Failure {
    match folder {
        Some(folder) => {
            let message = format!("“{}” isn't a built page: it has no index.html", folder.display());
            Failure::new(FailureCode::Unreadable, message).with_detail("To build the page: cargo xtask build")
        }
        None => Failure::new(FailureCode::Unreadable, "this build of traceglass has no web page").with_detail(
            "Pass the folder of a built page:\n  \
             traceglass view --page dist app.nettrace\n\
             For a build with the page, download a release, or build both in a clone:\n  \
             cargo xtask build\n  \
             cargo install --path crates/cli --features page",
        ),
    }
}
