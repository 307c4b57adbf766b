//! Names of native code from the Rust compiler: `one_collect::intern::InternedCallstacks::to_id::h17abd69edd9d7b2b`.

/// Number of digits of the hash after the name.
const HASH_DIGITS: usize = 16;

/// Escapes of characters that symbols can't contain, between dollar signs.
const ESCAPES: [(&str, &str); 8] =
    [("SP", "@"), ("BP", "*"), ("RF", "&"), ("LT", "<"), ("GT", ">"), ("LP", "("), ("RP", ")"), ("C", ",")];

/// Returns the readable name: without the hash, with unescaped characters. `None` for symbols without such a hash.
pub(super) fn readable_rust(symbol: &str) -> Option<String> {
    let (path, hash) = symbol.rsplit_once("::h")?;
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if path.is_empty() || hash.len() != HASH_DIGITS || !hash.bytes().all(is_digit) {
        return None;
    }
    // An underscore precedes a dollar sign at the start of a name.
    let parts = path
        .split("::")
        .map(|part| unescaped(part.strip_prefix('_').filter(|rest| rest.starts_with('$')).unwrap_or(part)));
    Some(parts.collect::<Vec<_>>().join("::"))
}

fn unescaped(part: &str) -> String {
    let mut text = String::new();
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('$') {
        text.push_str(before);
        let escape = after.split_once('$').and_then(|(name, after)| Some((character(name)?, after)));
        rest = match escape {
            Some((character, after)) => {
                text.push_str(&character);
                after
            }
            None => {
                text.push('$');
                after
            }
        };
    }
    text.push_str(rest);
    text.replace("..", "::")
}

fn character(name: &str) -> Option<String> {
    if let Some((_, text)) = ESCAPES.iter().find(|(known, _)| *known == name) {
        return Some((*text).to_owned());
    }
    let code = u32::from_str_radix(name.strip_prefix('u')?, 16).ok()?;
    char::from_u32(code).filter(|character| !character.is_control()).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first symbols are from machine-wide recordings, whose recorder is written in Rust.
    #[test]
    fn only_rust_hashes_are_removed() {
        for (symbol, name) in [
            (
                "one_collect::helpers::exporting::mappings::ExportMappingLookup::find_index::h8e69c64fcfbbb818",
                "one_collect::helpers::exporting::mappings::ExportMappingLookup::find_index",
            ),
            (
                "one_collect::sharing::SharedData$LT$T$GT$::write::hfdeb9d0dd3378d3d",
                "one_collect::sharing::SharedData<T>::write",
            ),
            (
                "_$LT$ruwind..default_unwinder..unwinder..Unwinder$u20$as$u20$ruwind..MachineUnwinder$GT$::unwind::h76bf063aaede251c",
                "<ruwind::default_unwinder::unwinder::Unwinder as ruwind::MachineUnwinder>::unwind",
            ),
            (
                "core::ops::function::FnOnce::call_once$u7b$$u7b$vtable.shim$u7d$$u7d$::h0123456789abcdef",
                "core::ops::function::FnOnce::call_once{{vtable.shim}}",
            ),
            ("a$odd$::h0123456789abcdef", "a$odd$"),
        ] {
            assert_eq!(readable_rust(symbol).as_deref(), Some(name));
        }
        for other in [
            "",
            "::h0123456789abcdef",
            "h0123456789abcdef",
            "std::hash",
            "std::h0123456789abcde",
            "std::h0123456789abcdef0",
            "std::h0123456789ABCDEF",
            "std::h0123456789abcdeg",
            "Shop::h0123456789abcdef(int)",
            "WKS::gc_heap::mark_object_simple",
            "SVR::gc_heap::background_gc_wait_lh()",
            "__memset_avx2_unaligned_erms",
            "std::unordered_map<int, int>::find(int const&)",
            "_ZN4core3fmt5write17h0123456789abcdefE",
            "Program::Main(string[])",
            "[heap]",
            "do_syscall_64",
        ] {
            assert_eq!(readable_rust(other), None, "{other}");
        }
    }
}
