//! Interned activity IDs.

use nettrace::Guid;
use protocol::base::hash::FastMap;
use protocol::base::ids::ActivityId;

/// All activity IDs of a trace. [`ActivityId`] 0 is "no activity".
#[derive(Clone, Debug)]
pub struct Activities {
    guids: Vec<Guid>,
    known: FastMap<Guid, u32>,
    last: (Guid, u32),
}

impl Default for Activities {
    fn default() -> Self {
        Self { guids: vec![Guid::ZERO], known: FastMap::default(), last: (Guid::ZERO, 0) }
    }
}

impl Activities {
    /// Returns the GUID of an activity; zero for no activity.
    pub fn guid(&self, activity: ActivityId) -> Guid {
        self.guids.get(activity.index()).copied().unwrap_or(Guid::ZERO)
    }

    /// Returns the activity with a GUID, if there is one.
    pub fn find(&self, guid: Guid) -> Option<ActivityId> {
        self.known.get(&guid).map(|&id| ActivityId(id))
    }

    /// Returns the number of activities, including "no activity".
    pub fn len(&self) -> usize {
        self.guids.len()
    }

    /// Forgets the last activity, which depends on how the file was read.
    pub(crate) fn without_last(self) -> Self {
        Self { last: (Guid::ZERO, 0), ..self }
    }

    /// Returns the GUIDs by ID; that of "no activity" is zero.
    pub(crate) fn guids(&self) -> &[Guid] {
        &self.guids
    }

    pub fn is_empty(&self) -> bool {
        self.len() <= 1
    }

    pub fn heap_bytes(&self) -> u64 {
        (16 * self.guids.capacity() + 21 * self.known.capacity()) as u64
    }

    /// Returns the ID of a GUID, and adds the GUID if it is new.
    #[inline]
    pub(crate) fn intern(&mut self, guid: Guid) -> ActivityId {
        if self.last.0 == guid {
            return ActivityId(self.last.1);
        }
        let next = self.guids.len() as u32;
        let id = *self.known.entry(guid).or_insert(next);
        if id == next {
            self.guids.push(guid);
        }
        self.last = (guid, id);
        ActivityId(id)
    }
}
