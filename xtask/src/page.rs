//! Assembles the page like Trunk: elements of `index.html` with the attribute `data-trunk` are its assets, and
//! `Trunk.toml` contains the settings.
//!
//! Compiling Trunk takes four minutes on two cores, and this page needs little of it; `cargo xtask test --full`
//! compares the results of both.

mod assets;
mod markup;
mod settings;

pub use assets::Program;

use crate::{Outcome, build};
use assets::{Asset, Attributes};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use settings::Settings;
use sha2::{Digest, Sha384};
use std::hash::Hasher;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Source of the page.
pub struct Page {
    root: PathBuf,
    html: String,
    settings: Settings,
    assets: Vec<(Range<usize>, Asset)>,
}

impl Page {
    /// Reads `index.html` and `Trunk.toml` in `root`.
    ///
    /// # Errors
    /// Fails if a file can't be read, or uses an unsupported feature.
    pub fn read(root: &Path) -> Outcome<Self> {
        let html = read_text(&root.join("index.html"))?;
        let settings = Settings::parse(&read_text(&root.join("Trunk.toml"))?)
            .map_err(|message| format!("Trunk.toml: {message}"))?;
        let assets = assets_of(&html).map_err(|message| format!("index.html: {message}"))?;
        Ok(Self { root: root.to_path_buf(), html, settings, assets })
    }

    /// Returns the programs of the page, in the order of `index.html`.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        self.assets
            .iter()
            .filter_map(|(_, asset)| if let Asset::Program(program) = asset { Some(program) } else { None })
    }

    /// Writes the page into the empty folder `dist`. `programs` contains a script and a WebAssembly file for each
    /// program; `first` is the compiled start program, from whose content its name is derived.
    ///
    /// # Errors
    /// Fails if a file can't be read or written.
    pub fn assemble(&self, programs: &Path, first: &Path, dist: &Path) -> Outcome {
        let mut html = String::new();
        let mut copied = 0;
        for (range, asset) in &self.assets {
            html.push_str(&self.html[copied..range.start]);
            copied = range.end;
            let writer = Writer { page: self, programs, first, dist };
            html.push_str(&writer.write(asset)?);
        }
        html.push_str(&self.html[copied..]);
        let html = before_end_of_head(&html, &self.preloads(first)?)?;
        write(&dist.join("index.html"), html.as_bytes())
    }

    /// Returns the elements that preload the start program.
    fn preloads(&self, first: &Path) -> Outcome<String> {
        let base = &self.settings.public_url;
        let mut links = String::new();
        for program in self.programs().filter(|program| program.is_first) {
            let name = program.hashed_name(first)?;
            links.push_str(&format!(
                "<link rel=\"modulepreload\" href=\"{base}{name}.js\" crossorigin=\"anonymous\">\
                 <link rel=\"preload\" href=\"{base}{name}_bg.wasm\" crossorigin=\"anonymous\" as=\"fetch\" \
                 type=\"application/wasm\">"
            ));
        }
        Ok(links)
    }
}

fn assets_of(html: &str) -> Outcome<Vec<(Range<usize>, Asset)>> {
    let elements = markup::marked_elements(html)?;
    let assets = elements.into_iter().map(|element| Ok((element.range.clone(), Asset::of(&element)?)));
    let assets = assets.collect::<Outcome<Vec<_>>>()?;
    let first = assets.iter().filter(|(_, asset)| matches!(asset, Asset::Program(program) if program.is_first)).count();
    if first == 1 { Ok(assets) } else { Err(format!("{first} programs have data-type=\"main\", not one")) }
}

/// Returns the page with elements added at the end of its head.
pub(crate) fn before_end_of_head(html: &str, elements: &str) -> Outcome<String> {
    let (before, after) = html.split_once("</head>").ok_or("index.html has no </head>")?;
    Ok(format!("{before}{elements}</head>{after}"))
}

/// Writer of the assets and of their elements in the page.
struct Writer<'a> {
    page: &'a Page,
    programs: &'a Path,
    first: &'a Path,
    dist: &'a Path,
}

impl Writer<'_> {
    fn write(&self, asset: &Asset) -> Outcome<String> {
        let base = &self.page.settings.public_url;
        match asset {
            Asset::Script(source, attributes) => {
                let (name, integrity) = self.hashed_copy(source)?;
                let attributes = attributes_with(attributes, integrity);
                Ok(format!("<script src=\"{base}{name}\"{attributes}></script>"))
            }
            Asset::Stylesheet(source) => {
                let (name, integrity) = self.hashed_copy(source)?;
                Ok(format!("<link rel=\"stylesheet\" href=\"{base}{name}\" integrity=\"{integrity}\"/>"))
            }
            Asset::Icon(source) => {
                let (name, integrity) = self.hashed_copy(source)?;
                Ok(format!("<link rel=\"icon\" href=\"{base}{name}\" integrity=\"{integrity}\"/>"))
            }
            Asset::File(source) => {
                let source = self.page.root.join(source);
                copy(&source, &self.dist.join(file_name(&source)?))?;
                Ok(String::new())
            }
            Asset::Folder(source) => {
                self.copy_folder(&self.page.root.join(source))?;
                Ok(String::new())
            }
            Asset::Program(program) => self.program(program),
        }
    }

    /// Copies a file to a name with a hash of its content; returns the name and the integrity value.
    fn hashed_copy(&self, source: &str) -> Outcome<(String, String)> {
        let source = self.page.root.join(source);
        let content = read(&source)?;
        let name = hashed_name(&source, &content)?;
        write(&self.dist.join(&name), &content)?;
        Ok((name, format!("sha384-{}", BASE64_STANDARD.encode(Sha384::digest(&content)))))
    }

    fn copy_folder(&self, source: &Path) -> Outcome {
        let target = self.dist.join(file_name(source)?);
        let mut files = Vec::new();
        build::collect_files(source, &mut files);
        for file in files {
            let target = target.join(file.strip_prefix(source).unwrap_or(&file));
            create_folder(target.parent().unwrap_or(&target))?;
            copy(&file, &target)?;
        }
        Ok(())
    }

    fn program(&self, program: &Program) -> Outcome<String> {
        let name = if program.is_first { program.hashed_name(self.first)? } else { program.bin.clone() };
        let (js, wasm) = (format!("{name}.js"), format!("{name}_bg.wasm"));
        copy(&self.programs.join(format!("{}.js", program.bin)), &self.dist.join(&js))?;
        copy(&self.programs.join(format!("{}_bg.wasm", program.bin)), &self.dist.join(&wasm))?;
        Ok(if program.is_first { self.page.settings.script(&js, &wasm) } else { String::new() })
    }
}

impl Program {
    fn hashed_name(&self, compiled: &Path) -> Outcome<String> {
        Ok(format!("{}-{:x}", self.bin, hash(&read(compiled)?)))
    }
}

/// Returns a name with a hash: `boot-0123456789abcdef.js`. Leading zeros are omitted.
fn hashed_name(file: &Path, content: &[u8]) -> Outcome<String> {
    let name = file_name(file)?;
    let (stem, extension) = name.rsplit_once('.').ok_or_else(|| format!("{name} has no extension"))?;
    Ok(format!("{stem}-{:x}.{extension}", hash(content)))
}

fn hash(content: &[u8]) -> u64 {
    let mut hasher = seahash::SeaHasher::new();
    hasher.write(content);
    hasher.finish()
}

/// Returns the attributes that a script keeps, and its integrity value, by name.
fn attributes_with(attributes: &Attributes, integrity: String) -> String {
    let mut all = attributes.clone();
    all.push(("integrity".to_owned(), integrity));
    all.sort();
    all.iter().fold(String::new(), |text, (name, value)| match value.as_str() {
        "" => format!("{text} {name}"),
        _ => format!("{text} {name}=\"{value}\""),
    })
}

fn file_name(path: &Path) -> Outcome<String> {
    let name = path.file_name().ok_or_else(|| format!("{} isn't a file", path.display()))?;
    Ok(name.to_string_lossy().into_owned())
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn read_text(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, content: &[u8]) -> Outcome {
    std::fs::write(path, content).map_err(|error| format!("{}: {error}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Outcome {
    write(to, &read(from)?)
}

fn create_folder(path: &Path) -> Outcome {
    std::fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests;
