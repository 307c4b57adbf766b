//! Sets `has_recordings`.

#[path = "../../crates/engine/build/recordings.rs"]
mod recordings;

fn main() {
    recordings::set_has_recordings();
}
