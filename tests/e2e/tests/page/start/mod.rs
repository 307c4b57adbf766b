mod offline;
mod requests;
