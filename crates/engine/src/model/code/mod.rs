//! Code: methods, modules, frames and functions, and the resolution of addresses.

pub(crate) mod async_callers;
pub(crate) mod external_names;
pub(crate) mod frames;
pub(crate) mod function_builder;
pub(crate) mod functions;
pub(crate) mod il_maps;
pub(crate) mod methods;
pub(crate) mod modules;
pub(crate) mod ranges;
pub(crate) mod resolve;
pub(crate) mod stacks;
