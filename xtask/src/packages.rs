//! Checks that what is published can be packed: crates, and the npm package.

use crate::command::{cargo, command, run, step};
use crate::{Outcome, paths};

/// Published crates, each after those that it uses.
pub const CRATES: [&str; 5] =
    ["nettrace", "traceglass-protocol", "traceglass-decompress", "traceglass-engine", "traceglass-cli"];

/// Packs the crates without compiling them again, and the npm package if the page is built and npm is there.
///
/// # Errors
/// Fails if a package can't be packed.
pub fn check() -> Outcome {
    step("packing the crates", || {
        let mut package = cargo();
        package.args(["package", "--no-verify", "--allow-dirty", "--quiet"]);
        package.args(CRATES.iter().flat_map(|name| ["--package", name]));
        run(&mut package)
    })?;
    if paths::on_path("npm").is_none() || !paths::dist().join("index.html").is_file() {
        println!("the npm package isn't packed: it needs npm and a built page");
        return Ok(());
    }
    step("packing the npm package", || run(command("npm").args(["pack", "--dry-run", "./npm"])))
}

#[cfg(test)]
mod tests {
    use super::CRATES;
    use crate::paths;
    use std::fs;

    /// Programs on the machines of the workflows, and commands of their shell.
    const PROGRAMS: [&str; 14] = [
        "cargo",
        "rustup",
        "npm",
        "tar",
        "7z",
        "sha256sum",
        "gh",
        "sudo",
        "mkdir",
        "cp",
        ".ci/run",
        "if",
        "else",
        "fi",
    ];

    /// Returns the name and the text of each workflow.
    fn workflows() -> Vec<(String, String)> {
        let folder = fs::read_dir(paths::root().join(".github/workflows")).expect("workflows");
        let paths = folder.map(|entry| entry.expect("a readable entry").path());
        paths.map(|path| (path.display().to_string(), fs::read_to_string(path).expect("UTF-8"))).collect()
    }

    /// Returns the lines that a workflow runs: after `run:`, and those of a block below it.
    fn commands(workflow: &str) -> Vec<String> {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let (mut found, mut block): (Vec<String>, Option<(usize, bool)>) = (Vec::new(), None);
        for line in workflow.lines().filter(|line| !line.trim().is_empty()) {
            match block {
                // A folded block is one line.
                Some((outer, true)) if indent(line) > outer => match found.last_mut() {
                    Some(command) if !command.is_empty() => *command += &format!(" {}", line.trim()),
                    Some(command) => *command = line.trim().to_owned(),
                    None => {}
                },
                Some((outer, false)) if indent(line) > outer => found.push(line.trim().to_owned()),
                _ => {
                    block = None;
                    let Some((_, command)) = line.split_once("run: ") else { continue };
                    match command {
                        "|" => block = Some((indent(line), false)),
                        ">-" => {
                            block = Some((indent(line), true));
                            found.push(String::new());
                        }
                        command => found.push(command.to_owned()),
                    }
                }
            }
        }
        found
    }

    fn manifest(package: &str) -> String {
        let folder = package.trim_start_matches("traceglass-");
        fs::read_to_string(paths::root().join("crates").join(folder).join("Cargo.toml")).expect("a package")
    }

    #[test]
    fn workflows_run_commands_that_exist() {
        let commands_of_xtask = include_str!("main.rs");
        let mut count = 0;
        for (name, text) in workflows() {
            for command in commands(&text) {
                count += 1;
                let words: Vec<&str> = command.split(' ').collect();
                let is_assignment = words[0].contains('=');
                assert!(is_assignment || PROGRAMS.contains(&words[0]), "{name}: {command}");
                if let ["cargo", "xtask", word, ..] = words.as_slice() {
                    assert!(commands_of_xtask.contains(&format!("[\"{word}\"")), "{name}: {command}");
                }
                for option in words.windows(2).filter(|pair| pair[0] == "--package") {
                    assert!(manifest(option[1]).contains(&format!("name = \"{}\"", option[1])), "{name}: {command}");
                }
                for option in words.windows(2).filter(|pair| pair[0] == "--features") {
                    assert!(manifest("cli").contains(&format!("\n{} = [", option[1])), "{name}: {command}");
                }
            }
        }
        assert!(count > 15, "{count} commands");
    }

    #[test]
    fn every_published_crate_is_packed() {
        let crates = fs::read_dir(paths::root().join("crates")).expect("crates");
        let mut published: Vec<String> = crates
            .map(|entry| fs::read_to_string(entry.expect("a readable entry").path().join("Cargo.toml")).expect("UTF-8"))
            .filter(|manifest| !manifest.contains("publish = false"))
            .filter_map(|manifest| Some(manifest.split("name = \"").nth(1)?.split('"').next()?.to_owned()))
            .collect();
        published.sort();
        let mut listed = CRATES.map(str::to_owned).to_vec();
        listed.sort();
        assert_eq!(published, listed);
        let packs_all = |text: &str| {
            let packed = CRATES.map(|name| format!("--package {name}")).join(" ");
            commands(text).iter().any(|command| command.starts_with("cargo package") && command.ends_with(&packed))
        };
        assert!(workflows().iter().any(|(_, text)| packs_all(text)), "no workflow packs all of them");
    }

    #[test]
    fn packages_for_node_have_version_of_program() {
        for folder in ["npm", "editors/vscode"] {
            let package = fs::read_to_string(paths::root().join(folder).join("package.json")).expect("a package");
            let version = package.split("\"version\": \"").nth(1).and_then(|rest| rest.split('"').next());
            let version = version.expect("a version");
            assert!(manifest("cli").contains(&format!("\nversion = \"{version}\"\n")), "{folder}: {version}");
        }
    }
}
