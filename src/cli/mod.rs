//! The native twin.
