//! Notes about the open trace: state, editor, list.

mod editor;
mod list;
pub(crate) mod state;
pub(crate) mod subject;

pub use editor::NoteEditor;
pub use list::NoteList;
