mod bytes;
mod schemas;
