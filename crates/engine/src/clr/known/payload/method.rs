//! Events about code of methods: loads, unloads, rundown.

use super::MethodPayload;
use protocol::named;

named! {
    /// Optimization tier and origin of a method's code. Declared in the order of a method's compilations.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub enum OptimizationTier {
        /// Unknown to the runtime.
        #[default]
        Unknown: "";
        /// Precompiled in the assembly.
        ReadyToRun: "ReadyToRun";
        /// Compiled without optimization (debug build, or a method that opts out).
        Unoptimized: "Unoptimized";
        /// Compiled quickly, and recompiled if it is called often.
        Tier0: "Tier 0";
        /// Compiled quickly, with instrumentation for later optimization.
        Tier0Instrumented: "Instrumented tier 0";
        /// Compiled with optimization and instrumentation.
        Tier1Instrumented: "Instrumented tier 1";
        /// Recompiled with optimization while it runs: on-stack replacement.
        Tier1Osr: "OSR";
        /// Recompiled with optimization, because it is called often.
        Tier1: "Tier 1";
        /// Compiled once with optimization, without tiering.
        Optimized: "Optimized";
        /// Generated at run time (`DynamicMethod`, compiled expressions).
        Dynamic: "Dynamic";
        /// Stub that the runtime generated, for example for a call of native code.
        Stub: "IL stub";
    }
    /// Returns the display name; empty if unknown.
    fn words;
}

impl OptimizationTier {
    /// Returns the tier in the `MethodFlags` of a method event (docs/format/symbols.md#method-flags: bit 0 dynamic, bit
    /// 3 jitted, bits 7–9 the tier, valid only if jitted).
    pub fn from_method_flags(flags: u32) -> Self {
        const DYNAMIC: u32 = 1;
        const JITTED: u32 = 8;
        match (flags >> 7) & 7 {
            _ if flags & DYNAMIC != 0 => Self::Dynamic,
            _ if flags & JITTED == 0 => Self::ReadyToRun,
            1 => Self::Unoptimized,
            2 => Self::Optimized,
            3 => Self::Tier0,
            4 => Self::Tier1,
            5 => Self::Tier1Osr,
            6 => Self::Tier0Instrumented,
            7 => Self::Tier1Instrumented,
            _ => Self::Unknown,
        }
    }
}

/// Common fields of all method events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MethodCode {
    /// The runtime's ID of the method.
    pub method_id: u64,
    /// The runtime's ID of the method's module.
    pub module_id: u64,
    /// Address of the first instruction.
    pub start_address: u64,
    /// Length of the code in bytes.
    pub size: u32,
    /// Metadata token, or 0 for generated code.
    pub token: u32,
    /// Kind of the method and its code; see [`OptimizationTier`].
    pub flags: u32,
}

impl MethodPayload<'_> {
    /// Returns the fields about the code.
    pub fn code(&self) -> MethodCode {
        let &Self { method_id, module_id, start_address, size, token, flags, .. } = self;
        MethodCode { method_id, module_id, start_address, size, token, flags }
    }

    /// Returns the tier. The names of the runtime's stubs distinguish them from other generated code.
    pub fn tier(&self) -> OptimizationTier {
        let tier = OptimizationTier::from_method_flags(self.flags);
        let is_stub = tier == OptimizationTier::Dynamic
            && self.name.code_units().take(STUB_PREFIX.len()).eq(STUB_PREFIX.encode_utf16());
        if is_stub { OptimizationTier::Stub } else { tier }
    }
}

const STUB_PREFIX: &str = "IL_STUB";

#[cfg(test)]
mod tests {
    use super::super::cursor::testing::utf16;
    use super::*;

    fn payload(flags: u32, name: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(11_u64.to_le_bytes());
        bytes.extend(22_u64.to_le_bytes());
        bytes.extend(0x7f00_0000_1000_u64.to_le_bytes());
        bytes.extend(64_u32.to_le_bytes());
        bytes.extend(0x0600_0001_u32.to_le_bytes());
        bytes.extend(flags.to_le_bytes());
        bytes.extend(utf16("Orders.Pricing"));
        bytes.extend(utf16(name));
        bytes.extend(utf16("instance void  ()"));
        bytes
    }

    #[test]
    fn method_load_is_read_without_decoding_text() {
        let bytes = payload(8 | 3 << 7, "Calculate");
        let method = MethodPayload::read(&bytes).expect("complete payload");
        assert_eq!((method.start_address, method.size), (0x7f00_0000_1000, 64));
        assert_eq!(method.name.to_string(), "Calculate");
        assert_eq!(method.tier(), OptimizationTier::Tier0);
        assert_eq!((method.code().token, method.code_version), (0x0600_0001, 0));
    }

    #[test]
    fn truncated_payload_is_rejected() {
        let bytes = payload(8, "Calculate");
        assert!((0..bytes.len()).all(|length| MethodPayload::read(&bytes[..length]).is_none()));
    }

    #[test]
    fn tier_of_code_that_is_not_jitted_is_ignored() {
        assert_eq!(OptimizationTier::from_method_flags(4 << 7), OptimizationTier::ReadyToRun);
        assert_eq!(OptimizationTier::from_method_flags(8 | 4 << 7).words(), "Tier 1");
        let stub = payload(1 | 8, "IL_STUB_PInvoke");
        assert_eq!(MethodPayload::read(&stub).map(|method| method.tier()), Some(OptimizationTier::Stub));
        let dynamic = payload(1 | 8, "lambda_method12");
        assert_eq!(MethodPayload::read(&dynamic).map(|method| method.tier().words()), Some("Dynamic"));
    }
}
