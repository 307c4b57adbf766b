mod columns;
mod groups;
mod late_rows;
mod rows;
