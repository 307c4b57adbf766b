//! Views of the file: blocks, bytes, sizes, schemas.

pub mod block_strip;
pub mod byte_scale;
pub mod cost_tree;
pub mod hex_line;
pub mod offset_text;
pub mod schema_facts;
pub mod schema_index;
pub mod schema_rows;
pub mod structure_rows;
pub mod treemap;
