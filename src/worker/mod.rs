//! The session in a web worker.
