//! Known providers.
