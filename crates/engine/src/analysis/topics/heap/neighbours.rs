//! The graph around single objects: what each refers to, and what refers to it.

use super::graph::References;
use super::snapshot::Snapshot;
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use std::cmp::Reverse;

/// Neighbours of an object in each direction that are kept: those that keep most alive.
const MAX: usize = 20;

/// An object beside a listed one.
#[derive(Clone, Copy, Debug)]
pub struct Neighbour {
    /// Position of the listed object in its list.
    pub listed: u32,
    /// Whether it refers to the listed one, instead of the other way round.
    pub refers: bool,
    pub address: u64,
    pub size: u64,
    pub type_at: u32,
    /// Bytes that only it keeps alive, its own included.
    pub retained: u64,
}

/// Returns the neighbors of the objects at these positions; `graph` and `retained` may have further vertices behind the
/// objects.
pub fn neighbours(snapshot: &Snapshot, graph: &References, retained: &[u64], listed: &[u32]) -> Vec<Neighbour> {
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
            found.extend(objects.iter().map(|&object| Neighbour {
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

/// Adds one; the list stays short, however many there are.
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
