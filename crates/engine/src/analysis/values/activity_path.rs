//! Paths of a trace's activities.

use crate::model::Store;
use nettrace::Guid;
use protocol::base::ids::ActivityId;
use protocol::events::activity_path::activity_path;

/// Returns the path of a trace's activity; empty if it has none.
pub fn path_of(store: &Store, activity: ActivityId) -> String {
    guid_path(store, store.activities.guid(activity)).unwrap_or_default()
}

/// Returns the path that an activity ID of a trace encodes.
pub fn guid_path(store: &Store, activity: Guid) -> Option<String> {
    let is_process = |id| id == store.header.process_id || store.processes.iter().any(|one| one.os_process == id);
    activity_path(&activity.0, is_process)
}
