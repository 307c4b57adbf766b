//! The methods of chains of async methods: addresses while buffers are read, names once all methods are known.

use crate::analysis::topics::shared::interned_texts::InternedTexts;
use crate::clr::known::payload::AsyncStack;
use crate::model::Store;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{FunctionId, ProcessId};

/// Maximum number of different chains stored.
const MAX_CHAINS: usize = 16_384;
/// Maximum number of methods stored per chain, the innermost ones.
const MAX_METHODS: usize = 32;
/// Separator between a method and the one that it awaits.
const AWAITS: &str = " → ";
/// Replaces methods that aren't stored or known.
const MORE: &str = "…";

/// The methods of a chain, the innermost first, and their number.
type Methods = (ProcessId, Box<[u64]>, u8);

/// Deduplicated methods of chains.
#[derive(Debug, Default)]
pub(super) struct ChainMethods {
    positions: FastMap<Methods, u32>,
    /// By position; available after [`Self::name`].
    texts: InternedTexts,
    of_position: Vec<u32>,
}

impl ChainMethods {
    /// Returns the position of a stack's methods, and adds them if needed; `None` if there are none, or too many
    /// different chains.
    pub fn position(&mut self, process: ProcessId, stack: &AsyncStack<'_>) -> Option<u32> {
        let addresses: Box<[u64]> = stack.addresses().take(MAX_METHODS).collect();
        let next = self.positions.len();
        if addresses.is_empty() {
            return None;
        }
        let key = (process, addresses, stack.methods);
        match self.positions.get(&key) {
            Some(known) => Some(*known),
            None if next >= MAX_CHAINS => None,
            None => {
                self.positions.insert(key, next as u32);
                Some(next as u32)
            }
        }
    }

    /// Names the methods, and drops their addresses.
    pub fn name(&mut self, store: &Store) {
        let positions = std::mem::take(&mut self.positions);
        let of_methods = |(process, addresses, _): &Methods| {
            let process = *process;
            addresses.iter().map(move |address| (process, *address)).collect::<Vec<_>>()
        };
        let needed: FastSet<(ProcessId, u64)> = positions.keys().flat_map(of_methods).collect();
        let mut functions: FastMap<(ProcessId, u64), FunctionId> = FastMap::default();
        if !needed.is_empty() {
            for frame in store.frames.iter() {
                let key = (frame.process, frame.address);
                if needed.contains(&key) {
                    functions.entry(key).or_insert(frame.function);
                }
            }
        }
        self.of_position = vec![0; positions.len()];
        for ((process, addresses, methods), position) in positions {
            let name = |address: &u64| {
                let function = store.functions.get(*functions.get(&(process, *address))?)?;
                Some(store.strings.get(function.short_name))
            };
            // The runtime's own steps have no address.
            let named = addresses.iter().filter(|address| **address != 0).map(|address| name(address).unwrap_or(MORE));
            let mut names: Vec<&str> = named.collect();
            if usize::from(methods) > addresses.len() {
                names.push(MORE);
            }
            names.reverse();
            let text = self.texts.position(&names.join(AWAITS));
            if let Some(of_position) = self.of_position.get_mut(position as usize) {
                *of_position = text;
            }
        }
    }

    /// Returns the methods at a position, the outermost first.
    pub fn text(&self, position: u32) -> &str {
        self.of_position.get(position as usize).map_or("", |text| self.texts.get(*text))
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let entry = size_of::<(Methods, u32)>();
        let addresses: usize = self.positions.keys().map(|(_, addresses, _)| addresses.len() * 8 + entry).sum();
        addresses + self.of_position.len() * 4 + self.texts.bytes()
    }
}
