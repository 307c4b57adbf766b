//! Describes how to record the events of an analysis, as a sentence and as a command.

use super::report::NotRecorded;
use super::topic::Topic;

/// How the events of an analysis are recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recording {
    /// With keywords of the runtime's provider.
    Runtime {
        /// Subject of the sentence, in the plural: "GCs".
        what: &'static str,
        /// Names of the keywords: "GC", "Jit and Loader".
        keywords: &'static str,
        /// Bits of the keywords.
        mask: u64,
        level: u8,
    },
    /// With other providers.
    Providers {
        /// Subject of the sentence, in the plural.
        what: &'static str,
        /// Comma-separated, as in `dotnet-trace collect --providers`: "Name:0x80:4".
        providers: &'static str,
    },
    /// By starting the app under the recorder, with a sentence that says so.
    AtStart(&'static str),
}

/// Returns a recording with keywords of the runtime's provider.
pub(super) const fn runtime(what: &'static str, keywords: &'static str, mask: u64, level: u8) -> Recording {
    Recording::Runtime { what, keywords, mask, level }
}

/// Returns a recording with other providers.
pub(super) const fn providers(what: &'static str, providers: &'static str) -> Recording {
    Recording::Providers { what, providers }
}

/// Returns a recording of the start of an app.
pub(super) const fn at_start(sentence: &'static str) -> Recording {
    Recording::AtStart(sentence)
}

impl Recording {
    /// Describes what to record, with the command.
    pub fn described(self) -> NotRecorded {
        let (words, options) = match self {
            Self::Runtime { what, keywords, mask, level } => {
                let noun = if keywords.contains(" and ") { "keywords" } else { "keyword" };
                (
                    format!("{what} require the .NET runtime provider with {noun} {keywords} at level {level}."),
                    format!("Microsoft-Windows-DotNETRuntime:{mask:#x}:{level}"),
                )
            }
            Self::Providers { what, providers } => {
                let of: Vec<String> = providers.split(',').map(provider_words).collect();
                (format!("{what} require {}.", of.join(", ")), providers.to_owned())
            }
            Self::AtStart(sentence) => {
                let command = "dotnet-trace collect -- dotnet app.dll".to_owned();
                return NotRecorded { words: sentence.to_owned(), command };
            }
        };
        NotRecorded { words, command: format!("dotnet-trace collect -p PID --providers {options}") }
    }
}

impl Topic {
    /// Describes what to record, with the command.
    pub fn not_recorded(self) -> NotRecorded {
        self.recording().described()
    }
}

/// Formats a provider of a command line, "Name:0x80:4", as text.
fn provider_words(provider: &str) -> String {
    let mut parts = provider.split(':');
    let name = parts.next().unwrap_or_default();
    match (parts.next(), parts.next()) {
        (Some(keywords), Some(level)) => format!("{name} (keywords {keywords}, level {level})"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_topic_has_recording_command() {
        let requests = Topic::Http.not_recorded();
        assert!(
            requests.words.ends_with("System.Threading.Tasks.TplEventSource (keywords 0x80, level 4)."),
            "{requests:?}"
        );
        assert!(requests.command.ends_with("System.Net.Security,System.Threading.Tasks.TplEventSource:0x80:4"));
        let methods = Topic::Jit.not_recorded();
        assert_eq!(
            methods.words,
            "JIT events require the .NET runtime provider with keywords Jit and Loader at level 5."
        );
        assert_eq!(methods.command, "dotnet-trace collect -p PID --providers Microsoft-Windows-DotNETRuntime:0x18:5");
        assert!(Topic::Waits.not_recorded().command.ends_with(":0x40000000000:5"));
    }
}
