//! Names of jitted methods in machine-wide traces: symbols that the runtime writes for `perf`.

use super::super::known::payload::OptimizationTier;

/// Symbol of jitted code for `perf`: `RETURN [MODULE] TYPE::METHOD(PARAMETERS)[TIER]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerfMapSymbol<'t> {
    /// Module, without its extension.
    pub module: &'t str,
    /// `TYPE::METHOD(PARAMETERS)`, as in other tools.
    pub raw_name: &'t str,
    /// Type with its namespace.
    pub type_name: &'t str,
    pub method_name: &'t str,
    pub returned: &'t str,
    /// Parameters in parentheses.
    pub parameters: &'t str,
    pub tier: OptimizationTier,
}

impl<'t> PerfMapSymbol<'t> {
    /// Parses a symbol; `None` for native code and the runtime's helpers.
    pub fn parse(symbol: &'t str) -> Option<Self> {
        let (symbol, tier) = split_tier(symbol);
        let (returned, module, raw_name) = split_module(symbol)?;
        let (type_name, method) = raw_name.split_once("::")?;
        let (method_name, parameters) = method.split_at(method.find('(')?);
        Some(Self { module, raw_name, type_name, method_name, returned, parameters, tier })
    }

    /// Returns the name in C#.
    pub fn readable(&self) -> super::ReadableName {
        let signature = [self.returned, " ", self.parameters].concat();
        super::readable(self.type_name, self.method_name, &signature)
    }
}

fn split_tier(symbol: &str) -> (&str, OptimizationTier) {
    let split = symbol.strip_suffix(']').and_then(|symbol| symbol.rsplit_once('['));
    let Some((rest, word)) = split.filter(|(rest, _)| rest.ends_with(')')) else {
        return (symbol, OptimizationTier::Unknown);
    };
    let tier = match word {
        "MinOptJitted" => OptimizationTier::Unoptimized,
        "Optimized" => OptimizationTier::Optimized,
        "QuickJitted" => OptimizationTier::Tier0,
        "OptimizedTier1" => OptimizationTier::Tier1,
        "OptimizedTier1OSR" => OptimizationTier::Tier1Osr,
        "InstrumentedTier" => OptimizationTier::Tier0Instrumented,
        "InstrumentedTierOptimized" => OptimizationTier::Tier1Instrumented,
        "ReadyToRun" | "PreJIT" => OptimizationTier::ReadyToRun,
        _ => OptimizationTier::Unknown,
    };
    (rest, tier)
}

/// Splits at ` [MODULE] `. Other brackets contain modules of types and have no space after them.
fn split_module(symbol: &str) -> Option<(&str, &str, &str)> {
    symbol.match_indices(" [").find_map(|(start, _)| {
        let (module, rest) = symbol[start + 2..].split_once(']')?;
        Some((&symbol[..start], module, rest.strip_prefix(' ')?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R3.4: the parts of a jitted symbol.
    #[test]
    fn jitted_symbol_has_module_method_and_tier() {
        let text = "instance valuetype [System.Runtime]System.ValueTuple`2<string,int32> [studio] Studio.Words+<>c\
                    ::<CountAll>b__1_1(class [System.Linq]System.Linq.IGrouping`2<string,string>)[QuickJitted]";
        let symbol = PerfMapSymbol::parse(text).expect("a jitted method");
        assert_eq!((symbol.module, symbol.type_name), ("studio", "Studio.Words+<>c"));
        assert_eq!((symbol.method_name, symbol.tier), ("<CountAll>b__1_1", OptimizationTier::Tier0));
        assert_eq!(symbol.readable().full, "Studio.Words.CountAll.λ2(IGrouping<string, string>)");
    }

    #[test]
    fn return_type_distinguishes_iterators_from_async_methods() {
        let readable = |text| PerfMapSymbol::parse(text).expect("a jitted method").readable().full;
        assert_eq!(
            readable("instance bool [studio] Studio.Primes+<Sieve>d__0::MoveNext()[OptimizedTier1OSR]"),
            "Studio.Primes.Sieve (iterator)"
        );
        assert_eq!(
            readable("instance void [System.Net.Http] System.Net.Http.HttpConnection+<FillAsync>d__87::MoveNext()"),
            "System.Net.Http.HttpConnection.FillAsync (async)"
        );
    }

    /// R3.5: symbols that aren't jitted methods.
    #[test]
    fn helpers_and_native_symbols_are_rejected() {
        assert_eq!(PerfMapSymbol::parse("stub<1700> AllocateTemporaryEntryPoints<PRECODE_FIXUP>"), None);
        assert_eq!(PerfMapSymbol::parse("entry_SYSCALL_64_after_hwframe"), None);
        assert_eq!(PerfMapSymbol::parse("std::vector<int>::push_back(int&&)"), None);
    }
}
