//! The first screen's program.

fn main() {
    traceglass::ui::mount_first();
}
