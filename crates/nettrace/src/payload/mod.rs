//! Payloads: field types, values and the decoder.

mod decoder;
mod field;
mod fit;
mod layout;
mod reading;
mod text;
mod value;
mod value_ref;
mod view;

pub use field::{Field, FieldType};
pub use fit::Fit;
pub(crate) use layout::report;
pub use text::Text;
pub use value::{Decimal, FieldError, Value};
pub use value_ref::ValueRef;
pub use view::{ArrayRef, ArrayValues, FieldValues, ObjectRef, Payload, decode, decode_field};
