//! Assets of the page, from the marked elements of `index.html`.

use super::markup::Element;
use crate::Outcome;

/// Names and values.
pub(super) type Attributes = Vec<(String, String)>;

/// Asset of a marked element. Paths are relative to `index.html`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asset {
    /// Script, and the attributes that it keeps.
    Script(String, Attributes),
    Stylesheet(String),
    Icon(String),
    /// File that is copied without renaming.
    File(String),
    /// Folder that is copied.
    Folder(String),
    Program(Program),
}

/// Program that is compiled to WebAssembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Name of the binary.
    pub bin: String,
    /// `Cargo.toml` of its package.
    pub manifest: String,
    /// True if it is the start program; the page loads the others on demand.
    pub is_first: bool,
    /// Cargo profile of a release.
    pub profile: String,
    /// Cargo profile for development.
    pub dev_profile: String,
    /// Arguments of wasm-opt for a release; `None` if it isn't called.
    pub wasm_opt: Option<Vec<String>>,
}

impl Asset {
    /// Returns the asset of a marked element.
    pub(super) fn of(element: &Element) -> Outcome<Self> {
        let mut attributes = Remaining::of(element);
        let asset = match element.name {
            "script" => {
                let source = attributes.required("src")?;
                let kept = attributes.optional("defer").map(|value| vec![("defer".to_owned(), value)]);
                Self::Script(source, kept.unwrap_or_default())
            }
            "link" => match attributes.required("rel")?.as_str() {
                "css" => Self::Stylesheet(attributes.required("href")?),
                "icon" => Self::Icon(attributes.required("href")?),
                "copy-file" => Self::File(attributes.required("href")?),
                "copy-dir" => Self::Folder(attributes.required("href")?),
                "rust" => Self::Program(program(&mut attributes)?),
                other => return Err(format!("unknown rel=\"{other}\"")),
            },
            other => return Err(format!("<{other}> with data-trunk")),
        };
        attributes.none_left()?;
        Ok(asset)
    }
}

fn program(attributes: &mut Remaining) -> Outcome<Program> {
    let is_first = match attributes.required("data-type")?.as_str() {
        // Hashes of the programs would have to be in the page; the others are loaded without, too.
        "main" => attributes.exactly("data-integrity", "none").map(|()| true)?,
        // Without it, Trunk generates classic scripts for programs other than the start program.
        "worker" => attributes.exactly("data-bindgen-target", "web").map(|()| false)?,
        other => return Err(format!("unknown data-type=\"{other}\"")),
    };
    let level = attributes.required("data-wasm-opt")?;
    let parameters = attributes.optional("data-wasm-opt-params").unwrap_or_default();
    let parameters = parameters.split_whitespace().map(str::to_owned);
    Ok(Program {
        bin: attributes.required("data-bin")?,
        manifest: attributes.required("href")?,
        is_first,
        profile: attributes.required("data-cargo-profile-release")?,
        dev_profile: attributes.required("data-cargo-profile-dev")?,
        wasm_opt: (level != "0").then(|| std::iter::once(format!("-O{level}")).chain(parameters).collect()),
    })
}

/// Attributes of an element that haven't been used yet.
struct Remaining<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Remaining<'a> {
    fn of(element: &Element<'a>) -> Self {
        Self(element.attributes.clone())
    }

    fn optional(&mut self, name: &str) -> Option<String> {
        let index = self.0.iter().position(|(other, _)| *other == name)?;
        Some(self.0.remove(index).1.to_owned())
    }

    fn required(&mut self, name: &str) -> Outcome<String> {
        self.optional(name).ok_or_else(|| format!("an element lacks {name}"))
    }

    fn exactly(&mut self, name: &str, value: &str) -> Outcome {
        let found = self.required(name)?;
        if found == value { Ok(()) } else { Err(format!("{name}=\"{found}\" instead of \"{value}\"")) }
    }

    fn none_left(&self) -> Outcome {
        self.0.first().map_or(Ok(()), |(name, value)| Err(format!("unknown attribute {name}=\"{value}\"")))
    }
}

#[cfg(test)]
mod tests {
    use super::{Asset, Program};
    use crate::page::markup::marked_elements;

    fn asset(html: &str) -> Result<Asset, String> {
        Asset::of(&marked_elements(html)?[0])
    }

    #[test]
    fn elements_of_each_kind_parse() {
        let script = Asset::Script("a.js".to_owned(), vec![("defer".to_owned(), String::new())]);
        assert_eq!(asset("<script data-trunk defer src=\"a.js\"></script>"), Ok(script));
        for (rel, expected) in [
            ("css", Asset::Stylesheet("x".to_owned())),
            ("icon", Asset::Icon("x".to_owned())),
            ("copy-file", Asset::File("x".to_owned())),
            ("copy-dir", Asset::Folder("x".to_owned())),
        ] {
            assert_eq!(asset(&format!("<link data-trunk rel=\"{rel}\" href=\"x\" />")), Ok(expected));
        }
    }

    const PROGRAM: &str = "<link data-trunk rel=\"rust\" href=\"Cargo.toml\" data-bin=\"app\" data-type=\"worker\" \
         data-bindgen-target=\"web\" data-cargo-profile-release=\"web\" data-cargo-profile-dev=\"web-dev\" \
         data-wasm-opt=\"z\" data-wasm-opt-params=\"--converge --enable-simd\" />";

    fn program() -> Program {
        Program {
            bin: "app".to_owned(),
            manifest: "Cargo.toml".to_owned(),
            is_first: false,
            profile: "web".to_owned(),
            dev_profile: "web-dev".to_owned(),
            wasm_opt: Some(["-Oz", "--converge", "--enable-simd"].map(str::to_owned).to_vec()),
        }
    }

    #[test]
    fn program_has_profiles_and_arguments_of_wasm_opt() {
        assert_eq!(asset(PROGRAM), Ok(Asset::Program(program())));
        let unoptimized = Program { wasm_opt: None, ..program() };
        let html = PROGRAM.replace("data-wasm-opt=\"z\"", "data-wasm-opt=\"0\"");
        assert_eq!(asset(&html), Ok(Asset::Program(unoptimized)));
    }

    #[test]
    fn unknown_and_missing_attributes_are_rejected() {
        for html in [
            "<link data-trunk rel=\"sass\" href=\"x\" />",
            "<link data-trunk rel=\"css\" />",
            "<link data-trunk rel=\"css\" href=\"x\" data-inline />",
            "<script data-trunk async src=\"a.js\"></script>",
            "<meta data-trunk />",
            &PROGRAM.replace("data-type=\"worker\"", "data-type=\"main\""),
            &PROGRAM.replace("data-bindgen-target=\"web\"", ""),
            &PROGRAM.replace("data-wasm-opt=\"z\"", "data-wasm-opt=\"z\" data-cargo-features=\"x\""),
        ] {
            assert!(asset(html).is_err(), "{html}");
        }
    }
}
