//! The first screen's program.

fn main() {
    traceglass::mount_first();
}
