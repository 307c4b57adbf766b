//! Requests encoded as bytes.

use crate::{Failure, FailureCode, Query, Request};
use serde::{Deserialize, Serialize};

/// Encoded request. Code that only forwards requests doesn't contain their decoder, which is downloaded with the first
/// trace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EncodedRequest(#[serde(with = "crate::bytes")] Vec<u8>);

impl EncodedRequest {
    /// Encodes a query.
    pub fn new<Q: Query>(query: &Q) -> Self {
        // Encoding a query can't fail.
        Self(postcard::to_extend(query, vec![Q::ID]).unwrap_or_default())
    }

    /// Encodes any request.
    pub fn of(request: &Request) -> Self {
        Self(postcard::to_allocvec(request).unwrap_or_default())
    }

    /// Encodes [`Request::Hello`], which needs no trace.
    pub fn hello() -> Self {
        Self(vec![0])
    }

    /// Returns whether the request is [`Request::Hello`].
    pub fn is_hello(&self) -> bool {
        *self == Self::hello()
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
    use crate::base::indexed_part::Window;
    use crate::queries;

    #[test]
    fn request_round_trips_and_hello_is_detected() {
        let window = Window { span: None, providers: vec!["any".to_owned()] };
        let requests = [
            (EncodedRequest::hello(), Request::Hello),
            (EncodedRequest::new(&queries::Summary), queries::Summary.into()),
            (
                EncodedRequest::new(&queries::WindowSize { window: window.clone() }),
                queries::WindowSize { window }.into(),
            ),
            (EncodedRequest::new(&queries::EventAt { offset: 300 }), queries::EventAt { offset: 300 }.into()),
        ];
        for (encoded, request) in requests {
            assert_eq!(encoded, EncodedRequest::of(&request));
            assert_eq!(encoded.is_hello(), request == Request::Hello);
            assert_eq!(encoded.read(), Ok(request));
        }
        let unknown = EncodedRequest(vec![255; 3]).read().map_err(|failure| failure.code);
        assert_eq!(unknown, Err(FailureCode::VersionSkew));
    }
}
