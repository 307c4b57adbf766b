//! Readers that the build script generates from the marked fields of the manifest.
//!
//! They ignore bytes after the fields that they know, because newer runtimes append fields.

use super::cursor::{Cursor, Utf16Text};
use super::gc::{AllocationKind, GcType};
use super::thread::SampleKind;

include!(concat!(env!("OUT_DIR"), "/payload_readers.rs"));

#[cfg(test)]
mod tests {
    use super::super::cursor::testing::utf16;
    use super::*;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn await_has_task_and_continuation() {
        let wait = TaskWaitBegin::read(&words(&[1, 0, 59, 2, 58])).expect("complete payload");
        assert_eq!((wait.task, wait.is_blocking, wait.continuation), (59, false, 58));
        assert_eq!(TaskWaitBegin::read(&words(&[1, 0, 59, 1])).map(|wait| wait.continuation), Some(0));
        assert_eq!(TaskWaitBegin::read(&words(&[1, 0, 59])), None);
        assert_eq!(TaskEvent::read(&words(&[1, 0, 7])), Some(TaskEvent { task: 7 }));
        let operation = [words(&[85]), utf16("Async: <Send>d__6")].concat();
        let name = TaskOperation::read(&operation).map(|one| one.name.to_string());
        assert_eq!(name.as_deref(), Some("Async: <Send>d__6"));
        assert_eq!(TaskWork::read(&words(&[34, 2])), Some(TaskWork { task: 34 }));
    }

    #[test]
    fn module_has_paths_and_pdb() {
        let head = |ids: &[u64]| ids.iter().flat_map(|id| id.to_le_bytes()).collect::<Vec<u8>>();
        let paths = [words(&[0x20, 0]), utf16("/app/Orders.dll"), utf16("")].concat();
        let domain = [head(&[1, 2, 3]), paths.clone()].concat();
        let module = DomainModulePayload::read(&domain).expect("complete payload");
        assert_eq!((module.module_id, module.il_path.to_string()), (1, "/app/Orders.dll".to_owned()));
        let early = [head(&[1, 2]), paths].concat();
        assert_eq!(ModulePayload::read(&early).map(|module| module.pdb), Some(None));
        let late = [early.clone(), vec![0, 0], vec![7; 16]].concat();
        assert_eq!(ModulePayload::read(&late).and_then(|module| module.pdb), Some(nettrace::Guid([7; 16])));
        assert_eq!(ModulePayload::read(&early[..early.len() - 1]), None);
    }
}
