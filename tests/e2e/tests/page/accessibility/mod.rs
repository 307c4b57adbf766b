mod details;
mod workspace;
