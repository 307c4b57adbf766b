//! What can be asked about topics.
//!
//! These questions travel as numbers, as those about the file do: a reader for each would be fetched by everybody ahead of need.

use super::report::RowOrder;
use super::topic::Topic;
use serde::{Deserialize, Serialize};

/// A question about a topic, or about all of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "Numbers", try_from = "Numbers")]
pub enum TopicRequest {
    /// Where the time of threads went, by what they are for. Of the filter, the span, the processes and the threads count.
    /// → [`crate::tables::RoleTimes`]
    RoleTimes,
    /// What is wrong with the program, or with the trace. → [`crate::Answer::Encoded`]: a list of [`super::finding::Finding`], what
    /// costs most first
    Findings,
    /// What a topic comes to. → [`crate::Answer::Encoded`]: a [`super::report::ReportHead`]
    Report(Topic),
    /// Some rows of a table of that. → [`crate::tables::ReportRows`]
    Rows {
        /// The topic.
        topic: Topic,
        /// Which table, in which order.
        order: RowOrder,
        /// First row wanted.
        first: u64,
        /// How many rows.
        count: u32,
    },
    /// A table of that as text, values separated by commas. → [`crate::tables::ExportedFile`]
    File {
        /// The topic.
        topic: Topic,
        /// Which table, in which order.
        order: RowOrder,
    },
}

impl TopicRequest {
    /// The topic that is asked about.
    pub fn topic(&self) -> Option<Topic> {
        match self {
            Self::RoleTimes | Self::Findings => None,
            Self::Report(topic) | Self::Rows { topic, .. } | Self::File { topic, .. } => Some(*topic),
        }
    }
}

/// Which question it is, in the order of [`TopicRequest`], and its parts in their order; at last the words that rows have.
type Numbers = (u8, [u64; 4], String);

fn number(topic: Topic) -> u64 {
    Topic::ALL.iter().position(|one| *one == topic).unwrap_or(0) as u64
}

fn topic(number: u64) -> Result<Topic, &'static str> {
    usize::try_from(number).ok().and_then(|at| Topic::ALL.get(at).copied()).ok_or("unknown analysis")
}

impl RowOrder {
    /// The table, the column and one more, and whether it is turned round, a byte each.
    fn number(&self) -> u64 {
        let column = self.column.map_or(0, |column| u64::from(column) + 1);
        u64::from(self.table) | column << 8 | u64::from(self.descending) << 20
    }

    fn of(number: u64, find: String) -> Self {
        let column = (number >> 8 & 0x1ff).checked_sub(1).map(|column| column as u8);
        Self { table: number as u8, column, descending: number >> 20 & 1 == 1, find }
    }
}

impl From<TopicRequest> for Numbers {
    fn from(request: TopicRequest) -> Self {
        match request {
            TopicRequest::RoleTimes => (0, [0; 4], String::new()),
            TopicRequest::Findings => (1, [0; 4], String::new()),
            TopicRequest::Report(topic) => (2, [number(topic), 0, 0, 0], String::new()),
            TopicRequest::Rows { topic, order, first, count } => {
                (3, [number(topic), order.number(), first, count.into()], order.find)
            }
            TopicRequest::File { topic, order } => (4, [number(topic), order.number(), 0, 0], order.find),
        }
    }
}

impl TryFrom<Numbers> for TopicRequest {
    type Error = &'static str;

    fn try_from((kind, [of, order, first, count], find): Numbers) -> Result<Self, Self::Error> {
        let order = RowOrder::of(order, find);
        Ok(match kind {
            0 => Self::RoleTimes,
            1 => Self::Findings,
            2 => Self::Report(topic(of)?),
            3 => Self::Rows { topic: topic(of)?, order, first, count: count as u32 },
            4 => Self::File { topic: topic(of)?, order },
            _ => return Err("unknown request about analyses"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_survive_the_journey_as_numbers() {
        let orders = [
            RowOrder::default(),
            RowOrder { table: 255, column: Some(255), descending: true, find: "a b".to_owned() },
            RowOrder { table: 1, column: Some(0), ..RowOrder::default() },
        ];
        let mut requests = vec![TopicRequest::RoleTimes, TopicRequest::Findings];
        for topic in Topic::ALL {
            requests.push(TopicRequest::Report(topic));
            for order in orders.clone() {
                let (first, count) = (1 << 40, 7);
                requests.push(TopicRequest::Rows { topic, order: order.clone(), first, count });
                requests.push(TopicRequest::File { topic, order });
            }
        }
        for request in requests {
            assert_eq!(TopicRequest::try_from(Numbers::from(request.clone())), Ok(request));
        }
        assert!(TopicRequest::try_from((2, [99, 0, 0, 0], String::new())).is_err());
        assert!(TopicRequest::try_from((9, [0; 4], String::new())).is_err());
    }
}
