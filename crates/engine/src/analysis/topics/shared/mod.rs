//! Code shared by the reports of several topics.

pub mod bursts;
pub mod call_site;
pub mod cost;
pub(crate) mod durations;
pub(crate) mod event_counts;
pub(crate) mod evidence;
pub(crate) mod evidence_text;
pub(crate) mod fixes;
pub(crate) mod groups;
pub(crate) mod interned_texts;
pub(crate) mod network_names;
pub(crate) mod over_time;
pub(crate) mod platform;
pub mod report;
pub mod running_part;
pub(crate) mod silence;
pub mod table;
pub(crate) mod thread_names;
pub(crate) mod type_names;
pub mod wait_labels;
