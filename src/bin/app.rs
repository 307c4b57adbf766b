//! The page's program once there is a trace to open.

fn main() {
    traceglass::mount();
}
