//! Program of the page that opens traces.

fn main() {
    traceglass::mount();
}
