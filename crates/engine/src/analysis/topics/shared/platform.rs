//! Operating system and version of .NET of the recorded process, on which fixes depend.

use crate::clr::runtime_version;
use crate::model::Store;

/// Operating system with tools of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum System {
    Linux,
    Windows,
    MacOs,
}

/// Where the recorded process ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Platform {
    system: Option<System>,
    /// Major version of .NET.
    major: Option<u32>,
}

impl Platform {
    /// Returns what the trace records, or what paths of modules show.
    pub fn of(store: &Store) -> Self {
        let process = store.processes.main();
        let text = |of: fn(&crate::model::Process) -> &str| process.map_or("", of);
        let stated = system_of_name(text(|process| &process.operating_system));
        let modules = || store.modules.iter().map(|module| store.strings.get(module.path));
        let paths = || [text(|process| &process.runtime_path)].into_iter().chain(modules());
        let system = stated.or_else(|| paths().find_map(system_of_path));
        let runtime = Some(text(|process| &process.runtime).to_owned()).filter(|runtime| !runtime.is_empty());
        let runtime = runtime.or_else(|| runtime_version(None, paths()));
        Self { system, major: runtime.as_deref().and_then(major) }
    }

    /// Returns the fix for samples that are missing: a recording that shows what ran on the machine. The second text is
    /// what the tool needs.
    pub fn machine_wide_recording(self) -> (&'static str, &'static str) {
        match (self.system, self.major) {
            (Some(System::Windows), _) => ("Record with PerfView /ThreadTime.", ""),
            (Some(System::MacOs), _) => ("Record with Instruments.", ""),
            (Some(System::Linux), Some(10..)) => {
                ("Record with dotnet-trace collect-linux.", "collect-linux needs root and Linux 6.4 or later.")
            }
            (Some(System::Linux), None) => (
                "Record with dotnet-trace collect-linux.",
                "collect-linux needs root, Linux 6.4 or later, and .NET 10 or later.",
            ),
            (Some(System::Linux), Some(6..)) => ("Record with perf, and set DOTNET_PerfMapEnabled=1.", ""),
            (Some(System::Linux), Some(_)) => ("Record with perf, and set COMPlus_PerfMapEnabled=1.", ""),
            (None, _) => ("Record with perf (Linux) or PerfView (Windows).", ""),
        }
    }

    /// Returns the fix for code that the runtime doesn't describe.
    pub fn unknown_code(self) -> &'static str {
        match (self.system, self.major) {
            (Some(System::Linux), Some(..6)) => "Set COMPlus_PerfMapEnabled=1, and load perf-PID.map.",
            (Some(System::Linux), _) => "Set DOTNET_PerfMapEnabled=1, and load perf-PID.map.",
            _ => "Record with a native profiler to see this code.",
        }
    }

    /// Returns the fix for a trace without method names.
    pub fn no_rundown(self) -> &'static str {
        match self.system {
            Some(System::Linux) => "Record with --rundown true, or load perf-PID.map.",
            _ => "Record with --rundown true.",
        }
    }
}

fn system_of_name(name: &str) -> Option<System> {
    match name.to_ascii_lowercase() {
        name if name.contains("linux") => Some(System::Linux),
        name if name.contains("windows") => Some(System::Windows),
        name if name.contains("macos") || name.contains("osx") || name.contains("darwin") => Some(System::MacOs),
        _ => None,
    }
}

/// Returns the system with such paths.
fn system_of_path(path: &str) -> Option<System> {
    match path {
        _ if path.contains(":\\") => Some(System::Windows),
        _ if path.ends_with(".dylib") || path.starts_with("/usr/local/share/dotnet/") => Some(System::MacOs),
        _ if path.starts_with('/') => Some(System::Linux),
        _ => None,
    }
}

/// Returns the major version of ".NET 10.0.1" or ".NET Core 3.1.23".
fn major(runtime: &str) -> Option<u32> {
    let version = runtime.strip_prefix(".NET ")?;
    version.strip_prefix("Core ").unwrap_or(version).split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_is_inferred_from_names_and_paths() {
        assert_eq!(
            ["Linux", "Windows", "macOS", ""].map(system_of_name),
            [Some(System::Linux), Some(System::Windows), Some(System::MacOs), None]
        );
        assert_eq!(
            ["C:\\Program Files\\dotnet\\a.dll", "/usr/share/dotnet/a.dll", "/opt/libcoreclr.dylib", "a.dll"]
                .map(system_of_path),
            [Some(System::Windows), Some(System::Linux), Some(System::MacOs), None]
        );
        assert_eq!(
            [".NET 10.0.1", ".NET Core 3.1.23", ".NET Framework 4.8", "Mono 6.12"].map(major),
            [Some(10), Some(3), None, None]
        );
    }

    #[test]
    fn recording_depends_on_system_and_version() {
        let of = |system, major| Platform { system, major }.machine_wide_recording().0;
        assert_eq!(of(Some(System::Windows), Some(3)), "Record with PerfView /ThreadTime.");
        assert_eq!(of(Some(System::Linux), Some(10)), "Record with dotnet-trace collect-linux.");
        assert_eq!(of(Some(System::Linux), Some(8)), "Record with perf, and set DOTNET_PerfMapEnabled=1.");
        assert_eq!(of(Some(System::Linux), Some(3)), "Record with perf, and set COMPlus_PerfMapEnabled=1.");
    }
}
