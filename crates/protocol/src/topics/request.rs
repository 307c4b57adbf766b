//! Requests about analyses.
//!
//! They are encoded as numbers, because a decoder for each variant would be downloaded in advance.

use super::report::RowOrder;
use super::topic::Topic;
use serde::{Deserialize, Serialize};

/// Request about one analysis or all of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "Numbers", try_from = "Numbers")]
pub enum TopicRequest {
    /// Time of threads by role. Of the filter, only the time range, processes and threads apply. →
    /// [`crate::tables::RoleTimes`]
    RoleTimes,
    /// Findings, most costly first. → [`crate::Answer::Encoded`]: a list of [`super::finding::Finding`]
    Findings,
    /// Report of an analysis. → [`crate::Answer::Encoded`]: a [`super::report::ReportHead`]
    Report(Topic),
    /// Rows of a table of a report. → [`crate::tables::ReportRows`]
    Rows {
        topic: Topic,
        /// Table and its order.
        order: RowOrder,
        /// Index of the first row.
        first: u64,
        /// Number of rows.
        count: u32,
    },
    /// Table of a report as comma-separated values. → [`crate::tables::ExportedFile`]
    File {
        topic: Topic,
        /// Table and its order.
        order: RowOrder,
    },
}

impl TopicRequest {
    /// Returns the analysis of the request; `None` for requests about all.
    pub fn topic(&self) -> Option<Topic> {
        match self {
            Self::RoleTimes | Self::Findings => None,
            Self::Report(topic) | Self::Rows { topic, .. } | Self::File { topic, .. } => Some(*topic),
        }
    }
}

/// Encoded request: the variant in the order of [`TopicRequest`], its fields in order, and the text to find.
type Numbers = (u8, [u64; 4], String);

fn number(topic: Topic) -> u64 {
    Topic::ALL.iter().position(|one| *one == topic).unwrap_or(0) as u64
}

fn topic(number: u64) -> Result<Topic, &'static str> {
    usize::try_from(number).ok().and_then(|at| Topic::ALL.get(at).copied()).ok_or("unknown analysis")
}

impl RowOrder {
    /// Encodes table, column plus one, and direction.
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
    fn topic_requests_round_trip() {
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
