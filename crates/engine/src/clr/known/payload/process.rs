//! Events about the traced process, from the session and the runtime.

use super::cursor::{Cursor, Utf16Text};

/// Payload of `RuntimeInformationStart` (187).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuntimeInformation<'d> {
    /// 1 .NET Framework, 2 CoreCLR, 4 Mono.
    pub sku: u16,
    /// Version of the base class library: major, minor, build, revision.
    pub library_version: [u16; 4],
    /// Version of the runtime: major, minor, build, revision. .NET Core before 5 writes 4.0.30319.0.
    pub runtime_version: [u16; 4],
    /// Configuration flags of the runtime: 1 concurrent GC, 0x1000 server GC.
    pub startup_flags: u32,
    /// 1 managed executable, 2 hosted, 4 mixed-mode library, 8 activated by COM, 0x10 other.
    pub startup_mode: u8,
    /// Command line, if the runtime knows it.
    pub command_line: Utf16Text<'d>,
    /// Path of the runtime's library.
    pub runtime_path: Utf16Text<'d>,
}

impl<'d> RuntimeInformation<'d> {
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let _clr_instance = cursor.u16()?;
        let sku = cursor.u16()?;
        let library_version = [cursor.u16()?, cursor.u16()?, cursor.u16()?, cursor.u16()?];
        let runtime_version = [cursor.u16()?, cursor.u16()?, cursor.u16()?, cursor.u16()?];
        let startup_flags = cursor.u32()?;
        let startup_mode = cursor.u8()?;
        let command_line = cursor.text()?;
        let _com_object = cursor.array::<16>()?;
        let runtime_path = cursor.text()?;
        Some(Self { sku, library_version, runtime_version, startup_flags, startup_mode, command_line, runtime_path })
    }
}

/// Payload of `ProcessInfo`, which the session itself writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessInfo<'d> {
    pub command_line: Utf16Text<'d>,
    /// Operating system, such as `Linux`; empty in version 0.
    pub operating_system: Utf16Text<'d>,
    /// Processor architecture, such as `x64`; empty in version 0.
    pub architecture: Utf16Text<'d>,
}

impl<'d> ProcessInfo<'d> {
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        Some(Self {
            command_line: cursor.text()?,
            operating_system: cursor.text().unwrap_or_default(),
            architecture: cursor.text().unwrap_or_default(),
        })
    }

    /// Returns the display name of the process: the file name of the executable, or of the assembly if the executable
    /// is the `dotnet` host.
    pub fn process_name(&self) -> String {
        let command_line = self.command_line.to_string();
        let words = split_command_line(&command_line);
        let names: Vec<&str> = words.iter().map(|word| file_stem(word)).collect();
        match (names.first(), words.iter().skip(1).position(|word| word.to_ascii_lowercase().ends_with(".dll"))) {
            (Some(&"dotnet"), Some(index)) => names[index + 1].to_owned(),
            (Some(&first), _) => first.to_owned(),
            (None, _) => String::new(),
        }
    }
}

/// Splits a command line at spaces outside quotes, and removes the quotes.
fn split_command_line(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for character in text.chars() {
        match (character, words.last_mut()) {
            ('"', _) => is_quoted = !is_quoted,
            (' ', _) if !is_quoted => words.push(String::new()),
            (_, Some(word)) => word.push(character),
            (_, None) => {}
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the file name without folder, `.exe` and `.dll`.
fn file_stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, extension)) if ["exe", "dll"].contains(&extension.to_ascii_lowercase().as_str()) => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::super::cursor::testing::utf16;
    use super::*;

    fn name_of(command_line: &str) -> String {
        ProcessInfo::read(&utf16(command_line)).expect("complete payload").process_name()
    }

    #[test]
    fn process_name_is_assembly_for_dotnet_host() {
        assert_eq!(name_of("/usr/bin/dotnet /app/Orders.Web.dll --urls http://*:80"), "Orders.Web");
        assert_eq!(name_of(r#""C:\Program Files\Orders\Orders.exe" --once"#), "Orders");
        assert_eq!(name_of("/app/orders 12"), "orders");
        assert_eq!(name_of("dotnet exec --depsfile x.json orders.dll"), "orders");
        assert_eq!(name_of(""), "");
    }

    #[test]
    fn process_info_version_0_has_only_command_line() {
        let bytes = [utf16("orders"), utf16("Linux"), utf16("x64")].concat();
        let info = ProcessInfo::read(&bytes).expect("complete payload");
        assert_eq!((info.operating_system.to_string(), info.architecture.to_string()), ("Linux".into(), "x64".into()));
        assert!(ProcessInfo::read(&utf16("orders")).expect("complete payload").architecture.is_empty());
    }
}
