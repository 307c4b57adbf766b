//! Version of .NET in the traced process.

use super::known::payload::RuntimeInformation;

/// Returns the version of .NET: `.NET 10.0.12`, `.NET Core 3.1.23`, `.NET Framework 4.8`, `Mono 6.12`; `None` if
/// unknown.
///
/// Before .NET 5, the runtime always reports version 4.0.30319.0. `module_paths` are the paths of loaded assemblies and
/// of the runtime's library; paths in a shared framework contain the version.
pub fn runtime_version<'p>(
    information: Option<&RuntimeInformation<'_>>,
    module_paths: impl IntoIterator<Item = &'p str>,
) -> Option<String> {
    let stated = information.and_then(stated_version);
    stated.or_else(|| {
        let runtime_path = information.map(|information| information.runtime_path.to_string());
        let from_path = runtime_path.as_deref().and_then(framework_version);
        from_path.or_else(|| module_paths.into_iter().find_map(framework_version))
    })
}

/// Returns the version that the runtime reports; `None` for the placeholder of early versions.
fn stated_version(information: &RuntimeInformation<'_>) -> Option<String> {
    let &RuntimeInformation { library_major: major, library_minor: minor, library_build: build, .. } = information;
    let &RuntimeInformation { runtime_major, runtime_minor, .. } = information;
    match (information.sku, major) {
        (1, _) => Some(format!(".NET Framework {runtime_major}.{runtime_minor}")),
        (4, _) => Some(format!("Mono {runtime_major}.{runtime_minor}")),
        (_, 5..) => Some(product(major, &format!("{major}.{minor}.{build}"))),
        _ => None,
    }
}

/// Returns the version in a path such as `/usr/share/dotnet/shared/Microsoft.NETCore.App/3.1.23/libcoreclr.so`.
fn framework_version(path: &str) -> Option<String> {
    let mut directories = path.split(['/', '\\']);
    directories.find(|directory| directory.eq_ignore_ascii_case("Microsoft.NETCore.App"))?;
    let version = directories.next()?;
    let major = version.split('.').next()?.parse().ok()?;
    Some(product(major, version))
}

fn product(major: u16, version: &str) -> String {
    if major < 5 { format!(".NET Core {version}") } else { format!(".NET {version}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn information(sku: u16, library: [u16; 4], runtime: [u16; 4], path: &str) -> Vec<u8> {
        let numbers = [0, sku].into_iter().chain(library).chain(runtime);
        let mut payload: Vec<u8> = numbers.flat_map(u16::to_le_bytes).collect();
        payload.extend([0; 4 + 1 + 2 + 16]);
        payload.extend(path.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
        payload
    }

    fn version(payload: &[u8], paths: &[&str]) -> Option<String> {
        let information = RuntimeInformation::read(payload).expect("complete payload");
        runtime_version(Some(&information), paths.iter().copied())
    }

    #[test]
    fn library_version_is_product_version_since_dotnet_5() {
        let payload = information(2, [10, 0, 12, 0], [10, 0, 1226, 42308], "/app/libcoreclr.so");
        assert_eq!(version(&payload, &[]).as_deref(), Some(".NET 10.0.12"));
    }

    #[test]
    fn dotnet_core_version_is_found_in_paths() {
        let shared = "/usr/share/dotnet/shared/Microsoft.NETCore.App/3.1.23/";
        let payload = information(2, [4, 0, 0, 0], [4, 0, 30319, 0], &format!("{shared}libcoreclr.so"));
        assert_eq!(version(&payload, &[]).as_deref(), Some(".NET Core 3.1.23"));
        let hidden = information(2, [4, 0, 0, 0], [4, 0, 30319, 0], "/app/libcoreclr.so");
        assert_eq!(version(&hidden, &["/app/Orders.dll"]), None);
        let windows = r"C:\Program Files\dotnet\shared\Microsoft.NETCore.App\8.0.1\System.Private.CoreLib.dll";
        assert_eq!(runtime_version(None, ["/app/Orders.dll", windows]).as_deref(), Some(".NET 8.0.1"));
    }
}
