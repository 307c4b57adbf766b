//! Questions to the store.
