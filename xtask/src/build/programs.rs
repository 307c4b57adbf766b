//! Compiles the programs of the page to WebAssembly, and converts them to the files that a page loads.
//!
//! Cargo runs once for each package, with the same features as in Trunk's calls, so that both get the same programs.
//! While Cargo compiles a package, wasm-bindgen and wasm-opt process the previous one, because they use one core each.

use super::hash_file;
use crate::command::{cargo, command, run, step};
use crate::page::{Page, Program};
use crate::{Outcome, paths, tools};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Condvar, Mutex};

/// Program that is split in two for a release: visitors download it in advance, and only its first part.
const DIVIDED: &str = "worker";

/// WebAssembly features that the programs need, for wasm-opt; as in `index.html`.
const WASM_FEATURES: [&str; 8] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Mode of a build.
pub(super) enum Mode<'a> {
    /// Release, with the build ID inside.
    Release(&'a str),
    /// Development: fast.
    Dev,
}

/// Finished programs.
pub(super) struct Programs {
    /// Folder with a script and a WebAssembly file for each program, as Trunk would create them.
    pub(super) folder: PathBuf,
    /// Both parts of the split program, for a release.
    pub(super) divided: Option<[PathBuf; 2]>,
    /// Compiled start program, before wasm-bindgen.
    pub(super) first: PathBuf,
}

/// Builds all programs of the page.
///
/// # Errors
/// Fails if a tool is missing, or a step fails.
pub(super) fn build(page: &Page, mode: &Mode) -> Outcome<Programs> {
    tools::wasm_target()?;
    let folder = mode.folder();
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let slots = Slots { free: Mutex::new(cores), changed: Condvar::new() };
    std::thread::scope(|scope| {
        let pack = scope.spawn(compile_pack);
        let wasm_opt = scope.spawn(|| if let Mode::Release(_) = mode { tools::wasm_opt() } else { Ok(None) });
        let (mut pack, mut wasm_opt) = (Some(pack), Some(wasm_opt));
        let mut finisher = None;
        let mut finishing = Vec::new();
        let mut outcome = Ok(());
        for package in packages(page, mode) {
            outcome = step(&format!("compiling {}", package.names()), || package.compile(mode));
            if outcome.is_err() {
                break;
            }
            if let (Some(pack), Some(wasm_opt)) = (pack.take(), wasm_opt.take()) {
                let (pack, wasm_opt) = (joined(pack)?, joined(wasm_opt)?);
                finisher = Some(std::sync::Arc::new(Finisher { mode, pack, wasm_opt, folder: &folder, slots: &slots }));
            }
            for program in package.programs {
                let finisher = finisher.clone();
                finishing.push(scope.spawn(move || finisher.map_or(Ok(()), |finisher| finisher.finish(program))));
            }
        }
        finishing.into_iter().map(joined).fold(outcome, Outcome::and)
    })?;
    let first = page.programs().find(|program| program.is_first).ok_or("the page starts with no program")?;
    let divided = [format!("{DIVIDED}_bg.wasm"), format!("{DIVIDED}_rest.wasm")];
    Ok(Programs {
        first: mode.compiled(first),
        divided: matches!(mode, Mode::Release(_)).then(|| divided.map(|name| folder.join("divided").join(name))),
        folder,
    })
}

fn joined<T>(thread: std::thread::ScopedJoinHandle<Outcome<T>>) -> Outcome<T> {
    thread.join().unwrap_or_else(|_| Err("a thread of the build panicked".to_owned()))
}

impl Mode<'_> {
    fn profile<'p>(&self, program: &'p Program) -> &'p str {
        match self {
            Self::Release(_) => &program.profile,
            Self::Dev => &program.dev_profile,
        }
    }

    /// Returns the folder of finished programs.
    pub(super) fn folder(&self) -> PathBuf {
        paths::target().join("page").join(if let Self::Release(_) = self { "release" } else { "dev" })
    }

    /// Returns the path of a compiled program.
    fn compiled(&self, program: &Program) -> PathBuf {
        let profile = match self.profile(program) {
            "dev" => "debug",
            other => other,
        };
        let folder = paths::target().join(tools::WASM_TARGET).join(profile);
        folder.join(format!("{}.wasm", program.bin))
    }
}

/// Programs that one call of Cargo compiles.
struct Package<'a> {
    programs: Vec<&'a Program>,
}

/// Returns the programs by package, in reverse order of the page, because the worker takes longest afterwards.
fn packages<'a>(page: &'a Page, mode: &Mode) -> Vec<Package<'a>> {
    let mut packages: Vec<Package> = Vec::new();
    for program in page.programs() {
        let key = |program: &'a Program| (&program.manifest, mode.profile(program));
        match packages.iter_mut().find(|package| key(package.programs[0]) == key(program)) {
            Some(package) => package.programs.push(program),
            None => packages.push(Package { programs: vec![program] }),
        }
    }
    packages.reverse();
    packages
}

impl Package<'_> {
    fn names(&self) -> String {
        self.programs.iter().map(|program| program.bin.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn compile(&self, mode: &Mode) -> Outcome {
        let [first, ..] = self.programs.as_slice() else { return Ok(()) };
        let mut build = cargo();
        build.args(["build", "--target", tools::WASM_TARGET, "--manifest-path", &first.manifest]);
        build.args(["--profile", mode.profile(first)]);
        build.args(self.programs.iter().flat_map(|program| ["--bin", &program.bin]));
        match mode {
            Mode::Release(name) => build.env("TRACEGLASS_BUILD", name),
            Mode::Dev => build.env_remove("TRACEGLASS_BUILD"),
        };
        run(&mut build)
    }
}

/// Compiles the program that runs wasm-bindgen, and returns its path.
fn compile_pack() -> Outcome<PathBuf> {
    run(cargo().args(["build", "--quiet", "--package", "xtask-pack"]))?;
    Ok(paths::compiled_tool("xtask-pack"))
}

/// Converts compiled programs to the files that a page loads.
struct Finisher<'a> {
    mode: &'a Mode<'a>,
    pack: PathBuf,
    wasm_opt: Option<PathBuf>,
    folder: &'a Path,
    slots: &'a Slots,
}

impl Finisher<'_> {
    fn finish(&self, program: &Program) -> Outcome {
        let compiled = self.mode.compiled(program);
        let stamp_file = self.folder.join(format!("{}.stamp", program.bin));
        let stamp = format!(
            "{:x} {:x} {:?} {:?}",
            hash_file(&compiled)?,
            hash_file(&self.pack)?,
            self.wasm_opt,
            program.wasm_opt
        );
        if std::fs::read_to_string(&stamp_file).is_ok_and(|existing| existing == stamp) {
            return Ok(());
        }
        // A failed step must not leave the previous stamp.
        let _ = std::fs::remove_file(&stamp_file);
        let mut bind = command(&self.pack);
        bind.arg("bind").arg(&compiled).arg(&program.bin).arg(self.folder);
        self.slots.run(&format!("wasm-bindgen, {}", program.bin), &mut bind)?;
        let wasm = self.folder.join(format!("{}_bg.wasm", program.bin));
        if let (Some(wasm_opt), Some(arguments)) = (&self.wasm_opt, &program.wasm_opt) {
            let mut optimize = command(wasm_opt);
            optimize.arg("-o").arg(&wasm).arg(&arguments[0]).arg(&wasm).args(&arguments[1..]);
            self.slots.run(&format!("wasm-opt, {}", program.bin), &mut optimize)?;
        }
        if program.bin == DIVIDED && matches!(self.mode, Mode::Release(_)) {
            self.divide(&wasm)?;
        }
        std::fs::write(&stamp_file, stamp).map_err(|error| format!("{}: {error}", stamp_file.display()))
    }

    /// Splits a program, and optimizes both parts.
    fn divide(&self, wasm: &Path) -> Outcome {
        let folder = self.folder.join("divided");
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let parts = ["bg", "rest"].map(|part| folder.join(format!("{DIVIDED}_{part}.wasm")));
        std::fs::copy(wasm, &parts[0]).map_err(|error| format!("{}: {error}", wasm.display()))?;
        let mut divide = command(&self.pack);
        self.slots.run(&format!("dividing {DIVIDED}"), divide.arg("divide").args(&parts))?;
        let Some(wasm_opt) = &self.wasm_opt else { return Ok(()) };
        std::thread::scope(|scope| {
            let threads = parts.each_ref().map(|part| {
                scope.spawn(move || {
                    let mut optimize = optimize(wasm_opt, part);
                    let name = part.file_name().unwrap_or_default().to_string_lossy();
                    self.slots.run(&format!("wasm-opt, {name}"), &mut optimize)
                })
            });
            threads.into_iter().map(joined).fold(Ok(()), Outcome::and)
        })
    }
}

/// Returns the optimizer command for a part of the worker; as in `index.html` (docs/decisions/wasm-opt.md).
pub(super) fn optimize(wasm_opt: &Path, wasm: &Path) -> Command {
    let mut optimize = command(wasm_opt);
    optimize.args(["-O2", "-ocimfs=60"]).args(WASM_FEATURES).arg(wasm).arg("-o").arg(wasm);
    optimize
}

/// Semaphore that limits concurrent programs to the number of cores.
struct Slots {
    free: Mutex<usize>,
    changed: Condvar,
}

impl Slots {
    fn run(&self, what: &str, command: &mut Command) -> Outcome {
        const POISONED: &str = "another step panicked";
        {
            let free = self.free.lock().map_err(|_| POISONED)?;
            *self.changed.wait_while(free, |free| *free == 0).map_err(|_| POISONED)? -= 1;
        }
        let outcome = step(what, || run(command));
        *self.free.lock().map_err(|_| POISONED)? += 1;
        self.changed.notify_one();
        outcome
    }
}
