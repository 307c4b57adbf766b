//! Browser tests of the number of requests and drawing operations.

mod gestures;
