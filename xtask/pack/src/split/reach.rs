//! Finds the functions that move to the secondary module.

use super::module::Module;
use crate::Outcome;
use std::collections::HashMap;

/// Division of the functions, and the calls across the border.
pub(super) struct Division {
    /// By function: true if it moves.
    pub(super) moves: Vec<bool>,
    /// Functions that move and to which others refer that don't: their entries in the stub table, in order from 1 on.
    pub(super) stubs: Vec<u32>,
    /// Functions that stay and to which moved ones refer.
    pub(super) shared: Vec<u32>,
}

impl Division {
    /// Divides the functions. A function moves if its name contains one of `entries`, or if functions that stay reach
    /// it only through those. Functions in tables can be reached from anywhere, unless their name contains one of
    /// `behind_tables`.
    pub(super) fn new(module: &Module, entries: &[&str], behind_tables: &[&str]) -> Outcome<Self> {
        let count = module.function_types.len();
        let is_named = |function: u32, parts: &[&str]| {
            module.names.get(&function).is_some_and(|name| parts.iter().any(|part| name.contains(part)))
        };
        let mut moves = vec![true; count];
        moves[..module.imported_functions as usize].fill(false);
        let mut open = module.called_from_outside.clone();
        open.extend(module.in_tables.iter().filter(|function| !is_named(**function, behind_tables)));
        let mut calls_of: HashMap<u32, Vec<u32>> = HashMap::new();
        while let Some(function) = open.pop() {
            if is_named(function, entries) || calls_of.contains_key(&function) {
                continue;
            }
            moves[function as usize] = false;
            let calls = module.calls(function)?;
            open.extend(&calls);
            calls_of.insert(function, calls);
        }
        let named_by_who_stays =
            calls_of.values().flatten().chain(&module.in_tables).chain(&module.called_from_outside);
        let stubs = sorted(named_by_who_stays.copied().filter(|function| moves[*function as usize]));
        let mut shared = Vec::new();
        for function in (0..count as u32).filter(|function| moves[*function as usize]) {
            shared.extend(module.calls(function)?.into_iter().filter(|called| !moves[*called as usize]));
        }
        Ok(Self { moves, stubs, shared: sorted(shared.into_iter()) })
    }
}

fn sorted(functions: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut functions: Vec<u32> = functions.collect();
    functions.sort_unstable();
    functions.dedup();
    functions
}
