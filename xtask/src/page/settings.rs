//! Build settings in `Trunk.toml`.

use crate::Outcome;

/// Settings of a build.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Settings {
    /// Prefix of all URLs in the page.
    pub(super) public_url: String,
    /// Markup for the start program.
    script: String,
}

impl Settings {
    /// Parses the table `[build]`. Other tables apply only to Trunk.
    pub(super) fn parse(toml: &str) -> Outcome<Self> {
        let (mut public_url, mut script, mut minify) = (None, None, None);
        let mut table = "";
        for line in toml.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if line.starts_with('[') {
                table = line;
            } else if table == "[build]" {
                let (key, value) = line.split_once('=').ok_or_else(|| format!("not a setting: {line}"))?;
                let setting = match key.trim() {
                    "public_url" => &mut public_url,
                    "pattern_script" => &mut script,
                    "minify" => &mut minify,
                    other => return Err(format!("unknown setting {other}")),
                };
                *setting = Some(string(value.trim())?);
            }
        }
        if minify.as_deref() != Some("never") {
            return Err("minify isn't \"never\"".to_owned());
        }
        let missing = |name| move || format!("{name} is missing");
        Ok(Self {
            public_url: public_url.ok_or_else(missing("public_url"))?,
            script: script.ok_or_else(missing("pattern_script"))?,
        })
    }

    /// Returns the markup for a program with these files.
    pub(super) fn script(&self, js: &str, wasm: &str) -> String {
        self.script.replace("{base}", &self.public_url).replace("{js}", js).replace("{wasm}", wasm)
    }
}

/// Parses a string without escapes.
fn string(value: &str) -> Outcome<String> {
    let inside = |quote| value.strip_prefix(quote).and_then(|rest: &str| rest.strip_suffix(quote));
    match inside('\'').or_else(|| inside('"')) {
        Some(text) if !text.contains('\\') => Ok(text.to_owned()),
        _ => Err(format!("not a plain string: {value}")),
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;

    const TOML: &str = "# A comment.\n[build]\npublic_url = \"./\"\nminify = \"never\"\n\
                        pattern_script = '<meta data-js=\"{base}{js}\" data-wasm=\"{base}{wasm}\" />'\n\n\
                        [serve]\nno_autoreload = true\n";

    #[test]
    fn script_pattern_has_program_files() {
        let settings = Settings::parse(TOML).expect("the settings are understood");
        assert_eq!(settings.public_url, "./");
        let expected = "<meta data-js=\"./a.js\" data-wasm=\"./a_bg.wasm\" />";
        assert_eq!(settings.script("a.js", "a_bg.wasm"), expected);
    }

    #[test]
    fn unsupported_settings_are_rejected() {
        for (from, to) in [
            ("\"never\"", "\"always\""),
            ("minify = \"never\"\n", ""),
            ("public_url = \"./\"\n", ""),
            ("\"./\"", "\"\\u002f\""),
            ("minify", "filehash = false\nminify"),
        ] {
            let changed = TOML.replacen(from, to, 1);
            assert!(Settings::parse(&changed).is_err(), "{changed}");
        }
    }
}
