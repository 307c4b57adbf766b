//! History of views, for pages that can't use the browser's: in a frame it belongs to the page around it.

/// Most steps; older ones are dropped.
const MOST_STEPS: usize = 100;

/// Views in order of time, with a current one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct History<T> {
    steps: Vec<T>,
    current: usize,
}

impl<T> Default for History<T> {
    fn default() -> Self {
        Self { steps: Vec::new(), current: 0 }
    }
}

impl<T> History<T> {
    /// Adds a view after the current one, and drops the views that came after it.
    pub fn push(&mut self, view: T) {
        self.steps.truncate(self.current + 1);
        if self.steps.len() == MOST_STEPS {
            self.steps.remove(0);
        }
        self.steps.push(view);
        self.current = self.steps.len() - 1;
    }

    /// Replaces the current view.
    pub fn replace(&mut self, view: T) {
        match self.steps.get_mut(self.current) {
            Some(current) => *current = view,
            None => self.push(view),
        }
    }

    /// Returns the view before the current one, which becomes the current one.
    pub fn back(&mut self) -> Option<&T> {
        self.current = self.current.checked_sub(1)?;
        self.steps.get(self.current)
    }

    /// Returns the view after the current one, which becomes the current one.
    pub fn forward(&mut self) -> Option<&T> {
        let view = self.steps.get(self.current + 1)?;
        self.current += 1;
        Some(view)
    }
}

#[cfg(test)]
mod tests {
    use super::{History, MOST_STEPS};

    fn of(views: &[u32]) -> History<u32> {
        let mut history = History::default();
        views.iter().for_each(|view| history.push(*view));
        history
    }

    #[test]
    fn back_and_forward_end_at_the_ends() {
        let mut history = of(&[1, 2, 3]);
        assert_eq!(history.back(), Some(&2));
        assert_eq!(history.back(), Some(&1));
        assert_eq!(history.back(), None);
        assert_eq!(history.forward(), Some(&2));
        assert_eq!(history.forward(), Some(&3));
        assert_eq!(history.forward(), None);
        assert_eq!(History::<u32>::default().back(), None);
        assert_eq!(History::<u32>::default().forward(), None);
    }

    #[test]
    fn new_view_drops_those_that_were_undone() {
        let mut history = of(&[1, 2, 3]);
        history.back();
        history.push(4);
        assert_eq!(history.forward(), None);
        assert_eq!(history.back(), Some(&2));
    }

    #[test]
    fn replaced_view_adds_no_step() {
        let mut history = History::default();
        history.replace(1);
        history.push(2);
        history.replace(3);
        assert_eq!(history.back(), Some(&1));
        assert_eq!(history.forward(), Some(&3));
    }

    #[test]
    fn oldest_views_are_dropped() {
        let views: Vec<u32> = (0..MOST_STEPS as u32 + 5).collect();
        let mut history = of(&views);
        let mut oldest = None;
        while let Some(view) = history.back() {
            oldest = Some(*view);
        }
        assert_eq!(oldest, Some(5));
    }
}
