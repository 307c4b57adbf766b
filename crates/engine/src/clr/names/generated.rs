//! Compiler-generated names: `<METHOD>KIND…`.

/// Meaning of a name of the form `<METHOD>KIND…`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Generated<'t> {
    /// Type of captured variables, which doesn't appear in source code.
    Closure,
    /// Type with the state of an async method or iterator.
    StateMachine(&'t str),
    /// Lambda of a method (empty if the name doesn't contain it), and its index, from 0.
    Lambda(&'t str, u32),
    /// Local function of a method, and its name.
    LocalFunction(&'t str, &'t str),
    /// Compiler-generated wrapper of the method with this name, such as an entry point.
    Wrapper(&'t str),
    /// Named type: local to a file, or anonymous.
    Named(&'t str),
}

impl<'t> Generated<'t> {
    /// Parses a name of Roslyn (its GeneratedNames) or of Mono's compiler; `None` for other names.
    pub fn parse(name: &'t str) -> Option<Self> {
        let nesting = name.bytes().take_while(|byte| *byte == b'<').count();
        let (method, rest) = enclosed(name).filter(|_| nesting <= DEEPEST)?;
        let (kind, suffix) = rest.split_once("__").unwrap_or((rest, ""));
        match kind {
            "" | "$" if !method.is_empty() => Some(Self::Wrapper(method)),
            "c" if method.is_empty() || suffix.starts_with("AnonStorey") => Some(Self::Closure),
            "c" if suffix.starts_with("async") || suffix.starts_with("Iterator") => Some(Self::StateMachine(method)),
            "d" => Some(Self::StateMachine(method)),
            "f" | "z" if method.is_empty() && !suffix.is_empty() => Some(Self::Named(suffix)),
            "b" | "m" => Some(Self::Lambda(method, ordinal(suffix))),
            "g" => Some(Self::LocalFunction(method, suffix.split_once('|').map_or(suffix, |(name, _)| name))),
            _ => file_local(suffix, method, kind),
        }
    }
}

/// Maximum nesting, more than compilers produce. Nested lambdas all refer to the outermost method.
const DEEPEST: usize = 8;

/// Parses `<FILE>FHASH__NAME`: a type that is visible only in its file.
fn file_local<'t>(name: &'t str, file: &str, kind: &str) -> Option<Generated<'t>> {
    let is_hash = kind.len() > 32 && kind.starts_with('F') && kind.bytes().all(|byte| byte.is_ascii_hexdigit());
    (!file.is_empty() && is_hash && !name.is_empty()).then_some(Generated::Named(name))
}

/// Splits `<INSIDE>REST` at the bracket that closes the first one.
fn enclosed(name: &str) -> Option<(&str, &str)> {
    let inside = name.strip_prefix('<')?;
    let mut depth = 1;
    for (position, character) in inside.char_indices() {
        depth += i32::from(character == '<') - i32::from(character == '>');
        if depth == 0 {
            return Some((&inside[..position], &inside[position + 1..]));
        }
    }
    None
}

/// Returns the index of a lambda in its method: `1` for `0_1` or `1`.
fn ordinal(suffix: &str) -> u32 {
    suffix.rsplit('_').next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_resolve_to_source_names() {
        assert_eq!(Generated::parse("<>c__DisplayClass1_0"), Some(Generated::Closure));
        assert_eq!(Generated::parse("<CheckoutAsync>d__2"), Some(Generated::StateMachine("CheckoutAsync")));
        assert_eq!(Generated::parse("<<Main>b__0_4>d"), Some(Generated::StateMachine("<Main>b__0_4")));
        assert_eq!(Generated::parse("<Main>b__0_4"), Some(Generated::Lambda("Main", 4)));
        assert_eq!(Generated::parse("<Queens>g__Place|0_0"), Some(Generated::LocalFunction("Queens", "Place")));
        assert_eq!(Generated::parse("<HandleOrder>c__async0"), Some(Generated::StateMachine("HandleOrder")));
        assert_eq!(Generated::parse("<Main>$"), Some(Generated::Wrapper("Main")));
        assert_eq!(Generated::parse("<>f__AnonymousType0"), Some(Generated::Named("AnonymousType0")));
        assert_eq!(Generated::parse("<PrivateImplementationDetails"), None);
        assert_eq!(Generated::parse("Main"), None);
    }
}
