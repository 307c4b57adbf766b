//! Browser tests of opening files, archives and URLs, and of failures.

mod archives;
mod bad_files;
mod cases;
mod failure_report;
mod faults;
mod loading;
mod recent_files;
mod recording;
mod sources;
mod unresponsive_worker;
mod view;
