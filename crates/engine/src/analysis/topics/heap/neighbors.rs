//! The neighbors of single objects: their references, and the objects that refer to them.

use super::graph::References;
use super::snapshot::Snapshot;
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use std::cmp::Reverse;

/// Maximum number of neighbors of an object in each direction, by retained size.
const MAX: usize = 20;

/// A neighbor of a listed object.
#[derive(Clone, Copy, Debug)]
pub struct Neighbor {
    /// Position of the listed object in its list.
    pub listed: u32,
    /// True if the neighbor refers to the listed object, false for the opposite direction.
    pub refers: bool,
    pub address: u64,
    pub size: u64,
    pub type_at: u32,
    /// Retained size in bytes, including its own.
    pub retained: u64,
}

/// Returns the neighbors of the objects at these positions; `graph` and `retained` may have further vertices after the
/// objects.
pub fn neighbors(snapshot: &Snapshot, graph: &References, retained: &[u64], listed: &[u32]) -> Vec<Neighbor> {
    let places: FastMap<u32, u32> = (0..).zip(listed).map(|(at, object)| (*object, at)).collect();
    let mut is_listed = vec![false; snapshot.address.len()];
    listed.iter().for_each(|object| is_listed[*object as usize] = true);
    let mut around: Vec<[Vec<u32>; 2]> = vec![Default::default(); listed.len()];
    for object in 0..snapshot.address.len() as u32 {
        for &target in graph.of(object).iter().filter(|target| (**target as usize) < is_listed.len()) {
            if is_listed[object as usize] {
                add(&mut around[places[&object] as usize][0], target, retained);
            }
            if is_listed[target as usize] {
                add(&mut around[places[&target] as usize][1], object, retained);
            }
        }
    }
    let mut found = Vec::new();
    for (at, directions) in (0..).zip(&mut around) {
        for (objects, refers) in directions.iter_mut().zip([false, true]) {
            keep_most(objects, retained);
            found.extend(objects.iter().map(|&object| Neighbor {
                listed: at,
                refers,
                address: snapshot.address[object as usize],
                size: snapshot.size[object as usize],
                type_at: snapshot.type_at[object as usize],
                retained: retained[object as usize],
            }));
        }
    }
    found
}

/// Inserts an object; the list has a limited length.
fn add(objects: &mut Vec<u32>, object: u32, retained: &[u64]) {
    if objects.last() != Some(&object) {
        objects.push(object);
    }
    if objects.len() >= 8 * MAX {
        keep_most(objects, retained);
    }
}

fn keep_most(objects: &mut Vec<u32>, retained: &[u64]) {
    sort_by_key(objects, |object| (Reverse(retained[*object as usize]), *object));
    objects.dedup();
    objects.truncate(MAX);
}
