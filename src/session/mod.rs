//! Owns a store and answers requests.
