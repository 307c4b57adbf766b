//! Checks that texts for users contain the terms of the style guide, and not those that they replace (docs/style.md).

use crate::common::root;
use std::path::{Path, PathBuf};

/// Words that texts don't contain, and what to write instead.
const REPLACED: [(&str, &str); 101] = [
    ("garbage collection", "GC"),
    ("garbage collections", "GCs"),
    ("the collector", "the GC"),
    ("stood still", "was paused"),
    ("stands still", "is paused"),
    ("stopped everything", "paused the process"),
    ("told", "recorded, reported"),
    ("tells", "records, reports"),
    ("processor", "CPU"),
    ("processors", "CPUs"),
    ("off the processor", "off CPU"),
    ("half within", "p50"),
    ("95% within", "p95"),
    ("one by one", "All …"),
    ("narrow everything", "filter to"),
    ("leave out", "exclude"),
    ("leaves out", "excludes"),
    ("left out", "excluded"),
    ("taken away", "hidden"),
    ("nameless", "unresolved"),
    ("without a name", "unresolved"),
    ("data base", "database"),
    ("the reader", "the background worker"),
    ("native twin", "command-line tool"),
    ("turn round", "invert"),
    ("turn stacks round", "invert"),
    ("kept ranges", "saved ranges"),
    ("end mark", "end of stream"),
    ("concluded", "inferred"),
    ("asked for at least", "enabled providers (minimum)"),
    ("climbing move", "hill climbing"),
    ("handed over", "enqueued"),
    ("synchronised", "sync"),
    ("outside managed code", "native code"),
    ("thrown again", "rethrown"),
    ("kept for finalizers", "finalization survivors"),
    ("as at first", "reset"),
    ("given up", "canceled, stopped"),
    ("cancelled", "canceled"),
    ("capitals do not matter", "case-insensitive"),
    ("blanks", "spaces"),
    ("framing", "block headers"),
    ("looking up", "DNS"),
    ("asked for it", "triggered by"),
    ("asked for in", "triggered in"),
    ("collection", "GC"),
    ("slowest to stop", "suspend time"),
    ("how it is alive", "path to root"),
    ("way from a root", "path to root"),
    ("referred to by", "referenced by"),
    ("where it waits", "call site"),
    ("kind of event", "event type"),
    ("kinds of events", "event types"),
    ("description of an event", "metadata, schema"),
    ("piece", "block, part"),
    ("keys and values", "key/value pairs"),
    ("synchronisation", "sync"),
    ("of the rundown", "rundown events"),
    ("problems while reading", "parse issues"),
    ("packed", "compressed"),
    ("unpack", "decompress, extract"),
    ("outside of managed code", "native code"),
    ("on the processor", "on CPU"),
    ("waiting for a handle", "WaitHandle wait"),
    ("waiting for locks", "lock contention"),
    ("the owner meanwhile", "owner was in"),
    ("starvation times", "starvation episodes"),
    ("workers wanted", "target workers"),
    ("work taken", "dequeued"),
    ("work that waits", "queue length"),
    ("sync over async", "sync-over-async"),
    ("requests answered", "incoming requests"),
    ("requests served", "incoming requests"),
    ("requests sent", "outgoing requests"),
    ("parts of a request", "request phases"),
    ("waited for a connection", "queued"),
    ("runs for", "duration"),
    ("all together", "total"),
    ("together", "total"),
    ("in the middle", "median"),
    ("19 times of 20", "95% CI"),
    ("piece of work", "activity"),
    ("an inner one", "inner exception"),
    ("compiled for", "JIT time"),
    ("in the program's time", "foreground"),
    ("replaced while they ran", "OSR"),
    ("what became of calls", "inlining and tail calls"),
    ("take away", "hide, exclude"),
    ("keep in view", "pin"),
    ("turned round", "inverted"),
    ("stacks as they are", "reset transforms"),
    ("what was done to stacks", "transforms"),
    ("where in it", "hot locations"),
    ("not my code", "framework code"),
    ("stacks begin with", "group stacks by"),
    ("silent threads", "idle threads"),
    ("what threads are for", "thread role"),
    ("kind of thread", "thread role"),
    ("sampled by the clock", "wall-clock samples"),
    ("user's interval", "trace without rundown"),
    ("lost, missing", "lost"),
];

/// Folders of texts for users.
const FOLDERS: [&str; 8] = [
    "src",
    "crates/cli/src",
    "crates/engine/src",
    "crates/nettrace/src",
    "crates/protocol/src",
    "crates/view/src",
    "crates/worker/src",
    "crates/decompress/src",
];

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_for_tests = name.contains("test") || name == "benches";
        if path.is_dir() && !is_for_tests {
            rust_files(&path, into);
        } else if name.ends_with(".rs") && !is_for_tests {
            into.push(path);
        }
    }
}

/// Returns the end of the string, character or comment at a position; none if there is none.
fn end_of_token(source: &str, at: usize) -> Option<usize> {
    let rest = &source[at..];
    let after = |length: Option<usize>| length.map_or(source.len(), |length| at + length);
    match rest.chars().next()? {
        '/' if rest.starts_with("//") => Some(after(rest.find('\n'))),
        '\'' => {
            let mut letters = rest.char_indices().skip(1);
            let (_, first) = letters.next()?;
            // The quotation mark of '\'' is the second one; a letter without one after it begins a lifetime.
            let skipped = if first == '\\' { 1 } else { 0 };
            let room = if first == '\\' { 12 } else { 1 };
            let end = letters.skip(skipped).take(room).find(|(_, letter)| *letter == '\'');
            end.map(|(length, _)| at + length + 1)
        }
        '"' => {
            let mut letters = rest.char_indices().skip(1);
            while let Some((length, letter)) = letters.next() {
                match letter {
                    '\\' => drop(letters.next()),
                    '"' => return Some(at + length + 1),
                    _ => {}
                }
            }
            Some(source.len())
        }
        'r' if !source[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_') => {
            let marks = rest[1..].chars().take_while(|letter| *letter == '#').count();
            let content = rest.get(1 + marks..)?.strip_prefix('"')?;
            let end = format!("\"{}", "#".repeat(marks));
            Some(after(content.find(&end).map(|length| 2 + marks + length + end.len())))
        }
        _ => None,
    }
}

/// Returns a source file without its tests: items with `#[cfg(test)]` become empty lines.
fn without_tests(source: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let (mut text, mut rest) = (String::new(), source);
    while let Some(start) = rest.find(MARK) {
        let (mut at, mut depth) = (start + MARK.len(), 0);
        while let Some(letter) = rest[at..].chars().next() {
            if let Some(end) = end_of_token(rest, at) {
                at = end;
                continue;
            }
            at += letter.len_utf8();
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 && matches!(letter, '}' | ';') {
                break;
            }
        }
        text.push_str(&rest[..start]);
        text.extend(rest[start..at].matches('\n'));
        rest = &rest[at..];
    }
    text + rest
}

/// Returns the string literals of a source file with their lines, without those of its tests.
fn literals(source: &str) -> Vec<(usize, String)> {
    let source = without_tests(source);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(letter) = source[at..].chars().next() {
        let Some(end) = end_of_token(&source, at) else {
            at += letter.len_utf8();
            continue;
        };
        let token = &source[at..end];
        let line = source[..at].matches('\n').count() + 1;
        match letter {
            '"' => found.push((line, unescaped(&token[1..token.len() - 1]))),
            'r' => {
                let marks = token[1..].chars().take_while(|letter| *letter == '#').count();
                found.push((line, token[marks + 2..token.len() - marks - 1].to_owned()));
            }
            _ => {}
        }
        at = end;
    }
    found
}

/// Returns the text of a literal, except for numeric escapes.
fn unescaped(literal: &str) -> String {
    let mut text = String::new();
    let mut letters = literal.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('\n') => while letters.next_if(|letter| letter.is_whitespace()).is_some() {},
                Some('n' | 'r' | 't') => text.push(' '),
                other => text.extend(other),
            },
            letter => text.push(letter),
        }
    }
    text
}

/// Returns the help texts of the command line: comments of the types that derive from clap, and of their fields.
fn help_texts(source: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = source.lines().collect();
    let is_derived = |line: &str| {
        line.starts_with("#[derive(")
            && ["Args", "Parser", "Subcommand", "ValueEnum"].iter().any(|of| line.contains(of))
    };
    let mut found = Vec::new();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| is_derived(line)) {
        let above = lines[..at].iter().rev().take_while(|line| line.starts_with("///") || line.starts_with("#["));
        let start = at - above.count();
        let length = lines[at..].iter().position(|line| *line == "}" || !line.starts_with(' ') && line.ends_with(';'));
        let end = length.map_or(lines.len(), |length| at + length);
        let comments = (start..end).filter_map(|line| Some((line + 1, lines[line].trim().strip_prefix("///")?)));
        found.extend(comments.map(|(line, text)| (line, text.trim().to_owned())));
    }
    found
}

/// Returns the words of a text without placeholders, paths and code; empty for an identifier.
fn words_for_people(text: &str) -> String {
    let mut without = String::new();
    let mut rest = text;
    while let Some((before, (_, after))) =
        rest.split_once('{').and_then(|(before, inside)| Some((before, inside.split_once('}')?)))
    {
        without.push_str(before);
        rest = after;
    }
    without.push_str(rest);
    let is_technical = |word: &&str| word.contains(['=', ';', '<', '_', '/', '#']);
    let words: Vec<&str> = without.split_whitespace().filter(|word| !is_technical(word)).collect();
    let words = words.join(" ");
    let is_for_people = words.contains(' ') || words.starts_with(char::is_uppercase);
    if is_for_people { words } else { String::new() }
}

fn contains_word(text: &str, word: &str) -> bool {
    let text = text.to_lowercase();
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        [before, after].into_iter().flatten().all(|letter| !letter.is_alphanumeric())
    })
}

#[test]
fn texts_use_glossary_terms() {
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|folder| rust_files(&root().join(folder), &mut files));
    assert!(files.len() > 300, "{} files", files.len());
    let (mut found, mut texts, mut helps) = (Vec::new(), 0, 0);
    for file in files {
        let source = std::fs::read_to_string(&file).expect("a source file");
        let name = file.strip_prefix(root()).unwrap_or(&file).display().to_string();
        let help = if name.starts_with("crates/cli") { help_texts(&source) } else { Vec::new() };
        helps += help.len();
        for (line, text) in literals(&source).into_iter().chain(help) {
            texts += 1;
            if text.contains('’') {
                found.push(format!("{name}:{line}: “’” in {text:?}; write '"));
            }
            let words = words_for_people(&text);
            for (word, better) in REPLACED.iter().filter(|(word, _)| contains_word(&words, word)) {
                found.push(format!("{name}:{line}: “{word}” in {text:?}; write {better}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(texts > 5_000 && helps > 60, "{texts} texts, {helps} of them help");
}

#[test]
fn literals_are_found_but_not_those_of_comments_and_tests() {
    let source = "#[cfg(test)]\nmod other_tests;\nfn a() { // \"no\"\n let b = ['\"', '\\'', '\\u{22}'];\n \
                  let c: &'static str = \"one\\n \\\"two\\\"\"; }\n\
                  #[cfg(test)]\nfn b(a: &'a str) { if a == \"}\" { \"no\" } }\n\
                  fn c() { r#\"a \"b\"\"# }\n#[cfg(test)]\nmod tests { \"three\" }\n\"four\"";
    let expected = [(5, "one  \"two\""), (8, "a \"b\""), (11, "four")];
    assert_eq!(literals(source), expected.map(|(line, text)| (line, text.to_owned())));
}

#[test]
fn help_texts_are_found() {
    let source = "/// No\nfn a() {}\n/// Opens a file\n#[derive(clap::Args)]\n#[command(x)]\npub struct A {\n    \
                  /// File to read\n    file: PathBuf,\n}\n/// No\nfn b() {}\n";
    let expected = [(3, "Opens a file"), (7, "File to read")];
    assert_eq!(help_texts(source), expected.map(|(line, text)| (line, text.to_owned())));
}

#[test]
fn identifiers_are_not_user_texts() {
    assert!(contains_word("It was told.", "told") && !contains_word("untold", "told"));
    assert_eq!(words_for_people("Blocked on I/O or {what_else} for {}"), "Blocked on or for");
    assert_eq!(["No events", "no_events", "a=b c", "{left_out}"].map(words_for_people), ["No events", "", "", ""]);
}
