//! Payload values: as text, as keys to sort by, as labels.

pub mod activity_path;
pub(crate) mod decimal;
pub mod field_type_text;
pub mod fields;
pub mod labels;
pub(crate) mod log_details;
pub mod message;
pub mod payload_fit;
pub mod payload_text;
pub mod property;
pub mod sort_value;
pub mod value_text;
