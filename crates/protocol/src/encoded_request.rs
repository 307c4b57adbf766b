//! A request as bytes.

use crate::{Failure, FailureCode, Request};
use serde::{Deserialize, Serialize};

/// A request as it travels. Whoever passes it on need not read it: readers of all requests are fetched with the first trace,
/// not ahead of need.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question(Vec<u8>);

impl Question {
    /// A request, written down.
    pub fn new(request: &Request) -> Self {
        // Nothing of it can fail to be written.
        Self(postcard::to_allocvec(request).unwrap_or_default())
    }

    /// Whether it is [`Request::Hello`], which is answered without a trace: bytes begin with the number of the kind.
    pub fn is_hello(&self) -> bool {
        self.0.first() == Some(&0)
    }

    /// The request.
    ///
    /// # Errors
    /// If it is none that this build knows.
    pub fn read(&self) -> Result<Request, Failure> {
        postcard::from_bytes(&self.0).map_err(|_| {
            Failure::new(
                FailureCode::VersionSkew,
                "The page and its background worker are out of sync. Reload the page.",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_read_as_it_was_asked_and_hello_is_known_unread() {
        let hello = Request::Hello { protocol: 1, build: "any".to_owned() };
        for (request, is_hello) in [(hello, true), (Request::Summary, false), (Request::Memory, false)] {
            let question = Question::new(&request);
            assert_eq!(question.is_hello(), is_hello);
            assert_eq!(question.read(), Ok(request));
        }
        let unknown = Question(vec![255; 3]).read().map_err(|failure| failure.code);
        assert_eq!(unknown, Err(FailureCode::VersionSkew));
    }
}
