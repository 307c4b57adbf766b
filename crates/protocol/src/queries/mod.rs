//! Queries. Each is a struct with the inputs, and one line of [`every_query!`](crate::every_query) with the output.
//!
//! A query is encoded as its number and its fields. Its output is either a packed table, which is transferred without a
//! copy, or an encoded value.

mod events;
mod file;
mod ran_on_thread;
mod stacks;
mod timeline;
mod topics;
mod trace;

pub use events::*;
pub use file::*;
pub use ran_on_thread::*;
pub use stacks::*;
pub use timeline::*;
pub use topics::*;
pub use trace::*;

use crate::base::ids::EventId;
pub use crate::compare::{Comparison, Measures, TraceChanges, TraceMeasures};
use crate::{Failure, Reply, reply, tables};
use serde::{Deserialize, Serialize};

/// Query of a trace, with the type of its output.
pub trait Query: Clone + Serialize + Into<Request> {
    /// Number that identifies the query in messages.
    const ID: u8;
    type Output;

    /// Creates the reply with an output.
    fn reply(output: Self::Output) -> Reply;

    /// Returns the output in a reply.
    ///
    /// # Errors
    /// Fails if the reply is that of another query, or of another build.
    fn output(reply: Reply) -> Result<Self::Output, Failure>;
}

/// Calls a macro with one line per query: `Name -> kind Output;`. The kind is `table` or `value`. The order determines
/// the numbers in messages.
#[macro_export]
macro_rules! every_query {
    ($callback:ident) => {
        $callback! {
            Summary -> value reply::Summary;
            QueryHelp -> value reply::QueryHelp;
            Overview -> table tables::Overview;
            Density -> table tables::Overview;
            Threads -> table tables::Threads;
            Lanes -> table tables::Lanes;
            SpanRows -> table tables::SpanRows;
            Connections -> value reply::Connections;
            Gcs -> table tables::Gcs;
            Exceptions -> table tables::Exceptions;
            Intervals -> table tables::Intervals;
            Series -> table tables::Series;
            Events -> table tables::EventRows;
            EventFields -> table tables::EventFields;
            EventText -> table tables::ExportedFile;
            Excerpt -> table tables::ExcerptPart;
            EventGroups -> table tables::EventGroups;
            FieldNames -> table tables::FieldNames;
            EventPosition -> value Option<u64>;
            EventDetail -> value reply::EventDetail;
            FindEvent -> value Option<EventId>;
            StackSources -> table tables::StackSources;
            Flame -> table tables::Flame;
            Children -> table tables::CallNodes;
            Below -> table tables::CallNodes;
            FindFrames -> table tables::FoundFrames;
            HotPath -> table tables::CallNodes;
            Functions -> table tables::Functions;
            When -> table tables::When;
            StackFile -> table tables::ExportedFile;
            CodePlaces -> table tables::CodePlaces;
            UnresolvedCode -> table tables::UnresolvedCode;
            TimeOrder -> table tables::Lanes;
            FunctionDetail -> value reply::FunctionDetail;
            Header -> value reply::HeaderDetail;
            Types -> table tables::Types;
            TypeDetail -> value reply::TypeDetail;
            Schemas -> table tables::Schemas;
            SchemaFile -> table tables::ExportedFile;
            FieldValues -> table tables::FieldValues;
            Topics -> value Vec<reply::TopicPresence>;
            WindowSize -> value u64;
            Memory -> value reply::MemoryUse;
            RoleTimes -> table tables::RoleTimes;
            Findings -> value Vec<reply::Finding>;
            Report -> value reply::ReportHead;
            ReportRows -> table tables::ReportRows;
            ReportFile -> table tables::ExportedFile;
            Sections -> table tables::Sections;
            SectionPosition -> value Option<u64>;
            SectionRuns -> table tables::SectionRuns;
            Costs -> table tables::Costs;
            FieldCosts -> table tables::FieldCosts;
            Structure -> table tables::Structure;
            Leaves -> table tables::Structure;
            FileBytes -> table tables::FileBytes;
            EventAt -> value Option<EventId>;
            RanOnThread -> table ThreadRan;
            ItemCounts -> value reply::ItemCounts;
            TimePosition -> value u64;
            TraceMeasures -> table Measures;
            PrivateTexts -> table tables::PrivateTexts;
            SpanTimes -> value Option<reply::SpanTimes>;
            FindNames -> value Vec<reply::FoundName>;
            SearchProgress -> value Option<f64>;
            TraceChanges -> value Comparison;
            TraceStacks -> table tables::StackProfile;
            OtherStacks -> value u64;
            TracedRequests -> table tables::TracedRequests;
            AddedStacks -> value u64;
            TrackMatches -> table tables::TrackMatches;
            GcTrigger -> value Option<reply::GcTrigger>;
        }
    };
}

/// Implements [`Query`] for each query, and declares [`Request`].
macro_rules! declare {
    ($($name:ident -> $kind:ident $output:ty;)*) => {
        /// Numbers that identify queries in messages.
        #[repr(u8)]
        enum Number { Hello, $($name),* }

        /// Any query.
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        pub enum Request {
            /// Asks for the version of the protocol, without a trace. → [`crate::Answer::Hello`]
            Hello,
            $($name($name)),*
        }

        impl Request {
            /// Number of requests.
            pub const COUNT: u8 = [Number::Hello as u8, $($name::ID),*].len() as u8;

            /// Returns the number of the request in messages.
            pub fn number(&self) -> u8 {
                match self {
                    Self::Hello => 0,
                    $(Self::$name(_) => $name::ID),*
                }
            }
        }

        $(
            impl From<$name> for Request {
                fn from(query: $name) -> Self {
                    Self::$name(query)
                }
            }

            impl Query for $name {
                const ID: u8 = Number::$name as u8;
                type Output = $output;

                fn reply(output: $output) -> Reply {
                    declare!(@reply $kind, output)
                }

                fn output(reply: Reply) -> Result<$output, Failure> {
                    declare!(@output $kind $output, reply)
                }
            }
        )*
    };
    (@reply table, $output:ident) => { Reply::table($output.pack()) };
    (@reply value, $output:ident) => { Reply::encoded(&$output) };
    (@output table $table:ty, $reply:ident) => {
        <$table>::unpack(&$reply.packed()?).map_err(|error| Failure::other_answer().with_detail(error.to_string()))
    };
    (@output value $value:ty, $reply:ident) => { $reply.decoded() };
}

every_query!(declare);

// A number is encoded as one byte.
const _: () = assert!(Request::COUNT <= 128);
