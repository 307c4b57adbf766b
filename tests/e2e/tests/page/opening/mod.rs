mod archives;
mod bad_files;
mod failure_report;
mod faults;
mod loading;
mod recent_files;
mod sources;
mod unresponsive_worker;
