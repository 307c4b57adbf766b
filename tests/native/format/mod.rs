//! Wire formats of recordings, compared with other readers and with the output of the traced apps.

mod payloads;
mod reference;
