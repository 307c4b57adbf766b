//! Requests encoded as bytes.

use crate::{Failure, FailureCode, Request};
use serde::{Deserialize, Serialize};

/// Encoded request. Code that forwards requests doesn't decode them, so the decoder of all requests is downloaded with
/// the first trace and not in advance.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EncodedRequest(Vec<u8>);

impl EncodedRequest {
    /// Encodes a request.
    pub fn new(request: &Request) -> Self {
        // Encoding a request can't fail.
        Self(postcard::to_allocvec(request).unwrap_or_default())
    }

    /// Returns whether the request is [`Request::Hello`], which needs no trace. The first byte is the number of the
    /// variant.
    pub fn is_hello(&self) -> bool {
        self.0.first() == Some(&0)
    }

    /// Decodes the request.
    ///
    /// # Errors
    /// Fails if this build doesn't know the request.
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
    fn request_round_trips_and_hello_is_detected() {
        let hello = Request::Hello { protocol: 1, build: "any".to_owned() };
        for (request, is_hello) in [(hello, true), (Request::Summary, false), (Request::Memory, false)] {
            let question = EncodedRequest::new(&request);
            assert_eq!(question.is_hello(), is_hello);
            assert_eq!(question.read(), Ok(request));
        }
        let unknown = EncodedRequest(vec![255; 3]).read().map_err(|failure| failure.code);
        assert_eq!(unknown, Err(FailureCode::VersionSkew));
    }
}
