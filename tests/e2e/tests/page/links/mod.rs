mod files;
mod views;
