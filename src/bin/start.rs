//! Program of the start page.

fn main() {
    traceglass::mount_first();
}
