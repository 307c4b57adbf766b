//! Tables of the store whose rows have IDs.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// Rows of a table, by ID.
#[derive(Clone, Debug)]
pub struct Rows<I, T> {
    rows: Vec<T>,
    ids: PhantomData<I>,
}

impl<I: Into<u32>, T> Rows<I, T> {
    /// Returns the row with an ID.
    pub fn get(&self, id: I) -> Option<&T> {
        self.rows.get(id.into() as usize)
    }

    pub(crate) fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.rows.get_mut(id.into() as usize)
    }

    /// Adds a row and returns its ID.
    pub(crate) fn push(&mut self, row: T) -> u32 {
        self.rows.push(row);
        self.rows.len() as u32 - 1
    }

    pub fn heap_bytes(&self) -> u64 {
        (self.rows.capacity() * size_of::<T>()) as u64
    }
}

impl<I, T> From<Vec<T>> for Rows<I, T> {
    fn from(rows: Vec<T>) -> Self {
        Self { rows, ids: PhantomData }
    }
}

impl<I, T> Default for Rows<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T> Deref for Rows<I, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.rows
    }
}

impl<I, T> DerefMut for Rows<I, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.rows
    }
}

impl<'r, I, T> IntoIterator for &'r Rows<I, T> {
    type Item = &'r T;
    type IntoIter = std::slice::Iter<'r, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
