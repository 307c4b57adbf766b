//! Names of modules.

/// Returns the name of a module: its file name without folder and extension, and without the `.il` or `.ni` that some
/// build steps insert before the extension. `path` may be the name of a generated assembly.
pub fn module_name(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = strip_any(file, &[".dll", ".exe", ".winmd"]);
    strip_any(stem, &[".il", ".ni"])
}

fn strip_any<'t>(text: &'t str, endings: &[&str]) -> &'t str {
    let stripped = endings.iter().find_map(|ending| {
        let (head, tail) = text.split_at_checked(text.len().checked_sub(ending.len())?)?;
        (tail.eq_ignore_ascii_case(ending) && !head.is_empty()).then_some(head)
    });
    stripped.unwrap_or(text)
}

/// Returns whether a file is an assembly, which contains managed code.
pub fn is_assembly(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["dll", "exe"].iter().any(|assembly| extension.eq_ignore_ascii_case(assembly))
}

/// Returns whether a module belongs to .NET or the operating system, not to the app. `module` is a name from
/// [`module_name`], compared case-insensitively.
pub fn is_framework(module: &str) -> bool {
    const EXACTLY: [&str; 15] = [
        "system",
        "mscorlib",
        "netstandard",
        "windowsbase",
        "presentationcore",
        "presentationframework",
        "coreclr",
        "clr",
        "clrjit",
        "clrgc",
        "hostfxr",
        "hostpolicy",
        "dotnet",
        "vmlinux",
        "ntdll",
    ];
    const PREFIXES: [&str; 18] = [
        "system.",
        "microsoft.",
        "libcoreclr",
        "libclr",
        "libhostfxr",
        "libhostpolicy",
        "libsystem.",
        "libmscordaccore",
        "libc.",
        "libc-",
        "libm.",
        "libpthread",
        "libstdc++",
        "libgcc_s",
        "ld-",
        "ld.",
        "[kernel",
        "[vdso",
    ];
    let module = module.to_ascii_lowercase();
    EXACTLY.contains(&module.as_str()) || PREFIXES.iter().any(|prefix| module.starts_with(prefix))
}

/// Type name of dynamic methods with the separator after it, in events and in perf maps.
const DYNAMIC: [&str; 2] = ["dynamicClass.", "dynamicClass::"];

/// Prefixes of dynamic methods that .NET generates for itself: stubs, reflection, dependency injection and regular
/// expressions. All others run code of the app, such as request handlers (`lambda_method`).
const GENERATED_FOR_DOTNET: [&str; 5] = ["IL_STUB", "InvokeStub_", "ResolveService", "Regex", "_dynamicMethod"];

/// Returns whether a method is dynamic, by its raw name with or without its module.
pub fn is_dynamic(raw_name: &str) -> bool {
    dynamic_method(raw_name).is_some()
}

/// Returns whether a method is a dynamic method of .NET's own, by its raw name with or without its module.
pub fn is_generated_for_dotnet(raw_name: &str) -> bool {
    dynamic_method(raw_name).is_some_and(|name| GENERATED_FOR_DOTNET.iter().any(|start| name.starts_with(start)))
}

fn dynamic_method(raw_name: &str) -> Option<&str> {
    let name = raw_name.split_once('!').map_or(raw_name, |(_, name)| name);
    DYNAMIC.iter().find_map(|start| name.strip_prefix(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_name_is_file_name() {
        assert_eq!(module_name("/app/web/Shop.Orders.dll"), "Shop.Orders");
        assert_eq!(module_name(r"C:\app\System.Private.Xml.il.dll"), "System.Private.Xml");
        assert_eq!(module_name(r"C:\windows\mscorlib.ni.DLL"), "mscorlib");
        assert_eq!(
            module_name("Anonymously Hosted DynamicMethods Assembly"),
            "Anonymously Hosted DynamicMethods Assembly"
        );
        assert_eq!(module_name("Shop.Generated"), "Shop.Generated");
        assert_eq!(module_name(".dll"), ".dll");
    }

    #[test]
    fn assemblies_are_distinguished_from_native_files() {
        assert!(["/app/Shop.dll", r"C:\app\Shop.EXE"].into_iter().all(is_assembly));
        assert_eq!(["/app/shop", "libc.so.6", "dll", "[vdso]", ""].into_iter().find(|path| is_assembly(path)), None);
    }

    #[test]
    fn framework_modules_are_dotnet_and_system() {
        let framework =
            ["System.Private.CoreLib", "system.linq", "Microsoft.AspNetCore.Http", "mscorlib", "libcoreclr.so"];
        assert!(framework.into_iter().all(is_framework));
        let own = ["Shop", "SystemTests", "microsoftish", "studio", "dotnet-shop", ""];
        assert_eq!(own.into_iter().find(|module| is_framework(module)), None);
        assert!(!is_framework("Anonymously Hosted DynamicMethods Assembly"), "handlers of requests are compiled there");
    }

    #[test]
    fn dynamic_methods_are_app_code_unless_dotnet_generates_them_for_itself() {
        let handler = "Anonymously Hosted DynamicMethods Assembly!dynamicClass.lambda_method7(class System.Object)";
        assert!(is_dynamic(handler) && !is_generated_for_dotnet(handler));
        for stub in [
            "dynamicClass.IL_STUB_PInvoke()",
            "shop!dynamicClass::IL_STUB_PInvoke()",
            "?!dynamicClass.InvokeStub_Shop.Order..ctor(class System.Object)",
        ] {
            assert!(is_generated_for_dotnet(stub), "{stub}");
        }
        for method in ["Shop!Shop.Orders.Regex()", "dynamicClassroom.Enter()", "IL_STUB_PInvoke", ""] {
            assert!(!is_dynamic(method) && !is_generated_for_dotnet(method), "{method}");
        }
    }
}
