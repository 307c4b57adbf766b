mod allocations;
mod answers;
mod transforms;
mod views;
