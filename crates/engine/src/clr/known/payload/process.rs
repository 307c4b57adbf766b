//! Events about the traced process, from the session and the runtime.

use super::ProcessInfo;

impl ProcessInfo<'_> {
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
