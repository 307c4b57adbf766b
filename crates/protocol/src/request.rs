//! Types of the inputs of queries.

pub use crate::events::columns::EventColumn;
pub use crate::events::filter::{Filter, UNKNOWN_PROCESS};
pub use crate::events::groups::{GroupColumn, GroupQuery, Measure};
pub use crate::events::label::Label;
pub use crate::events::order::EventOrder;
pub use crate::events::text::EventFormat;
pub use crate::file::section_filter::SectionFilter;
pub use crate::stacks::query::{
    Baseline, BaselineOf, EventName, FunctionOrder, SampleChoice, StackSource, TreeQuery, Weight, WhenOf,
};
pub use crate::stacks::shape::FrameName;
pub use crate::topics::report::RowOrder;
pub use crate::topics::topic::Topic;
