//! A session asked as the page asks it.

mod agreement;
mod file_structure;
mod journey_requests;
mod journeys;
mod parts;
mod previews;
mod schemas;
mod series;
