//! The page's program.

fn main() {
    traceglass::ui::mount();
}
