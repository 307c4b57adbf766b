//! Object graphs: dominators and shortest paths.
//!
//! Dominators by Lengauer and Tarjan ("A fast algorithm for finding dominators in a flowgraph", 1979), the simple
//! variant: O(m log n) for any graph, and without recursion.

/// Marks the absence of a vertex.
pub const NONE: u32 = u32::MAX;

/// References between vertices: the targets of `v` are `targets[starts[v]..starts[v + 1]]`.
#[derive(Debug, Default)]
pub struct References {
    /// Has one entry more than there are vertices.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl References {
    /// Returns an empty graph with room for this many vertices and references.
    pub fn with_capacity(vertices: usize, references: usize) -> Self {
        let mut starts = Vec::with_capacity(vertices + 1);
        starts.push(0);
        Self { starts, targets: Vec::with_capacity(references) }
    }

    /// Adds the next vertex.
    pub fn push(&mut self, targets: impl IntoIterator<Item = u32>) {
        self.targets.extend(targets);
        self.starts.push(self.targets.len() as u32);
    }

    /// Returns the number of vertices.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the targets of a vertex.
    pub fn of(&self, vertex: u32) -> &[u32] {
        let bound = |at: usize| self.starts.get(at).copied().unwrap_or(0) as usize;
        self.targets.get(bound(vertex as usize)..bound(vertex as usize + 1)).unwrap_or(&[])
    }
}

/// Immediate dominators: the last vertex, before the vertex itself, on every path from the root to it.
#[derive(Debug)]
pub struct Dominators {
    /// The reachable vertices in the order of the search, beginning with the root.
    pub order: Vec<u32>,
    /// By position in `order`: the position of the dominator, which is smaller; 0 for the root itself.
    pub immediate: Vec<u32>,
}

/// Returns the dominators of the vertices that can be reached from `root`.
pub fn dominators(graph: &References, root: u32) -> Dominators {
    let (order, parent, number) = depth_first(graph, root);
    let (starts, predecessors) = reversed(graph, &order, &number);
    let mut forest = Forest::new(order.len());
    let mut immediate = vec![0; order.len()];
    // For each vertex, the vertices that it semidominates, as linked lists.
    let (mut first, mut next) = (vec![NONE; order.len()], vec![NONE; order.len()]);
    for at in (1..order.len()).rev() {
        for &before in &predecessors[starts[at] as usize..starts[at + 1] as usize] {
            let best = forest.best(before);
            forest.semi[at] = forest.semi[at].min(forest.semi[best as usize]);
        }
        let semi = forest.semi[at] as usize;
        (next[at], first[semi]) = (first[semi], at as u32);
        let above = parent[at];
        forest.ancestor[at] = above;
        let mut one = std::mem::replace(&mut first[above as usize], NONE);
        while one != NONE {
            let best = forest.best(one);
            let is_lower = forest.semi[best as usize] < forest.semi[one as usize];
            immediate[one as usize] = if is_lower { best } else { above };
            one = next[one as usize];
        }
    }
    for at in 1..order.len() {
        if immediate[at] != forest.semi[at] {
            immediate[at] = immediate[immediate[at] as usize];
        }
    }
    Dominators { order, immediate }
}

/// Returns the vertices in depth-first order, the position of the vertex that each was reached from, and each vertex's
/// position.
fn depth_first(graph: &References, root: u32) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut number = vec![NONE; graph.len()];
    let (mut order, mut parent) = (vec![root], vec![0]);
    number[root as usize] = 0;
    let mut open: Vec<(u32, u32)> = vec![(root, 0)];
    while let Some((vertex, next)) = open.last_mut() {
        let Some(&target) = graph.of(*vertex).get(*next as usize) else {
            open.pop();
            continue;
        };
        *next += 1;
        if number[target as usize] == NONE {
            number[target as usize] = order.len() as u32;
            parent.push(number[*vertex as usize]);
            order.push(target);
            open.push((target, 0));
        }
    }
    (order, parent, number)
}

/// Returns, by position, the positions of the vertices that refer to it.
fn reversed(graph: &References, order: &[u32], number: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; order.len() + 1];
    let targets = |vertex: u32| graph.of(vertex).iter().map(|target| number[*target as usize] as usize);
    for &vertex in order {
        targets(vertex).for_each(|target| starts[target + 1] += 1);
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut predecessors = vec![0u32; *starts.last().unwrap_or(&0) as usize];
    let mut place = starts.clone();
    for (at, &vertex) in order.iter().enumerate() {
        for target in targets(vertex) {
            predecessors[place[target] as usize] = at as u32;
            place[target] += 1;
        }
    }
    (starts, predecessors)
}

/// Visited vertices as trees with path compression.
struct Forest {
    semi: Vec<u32>,
    /// The vertex with the smallest semidominator on the compressed part of the path.
    best: Vec<u32>,
    ancestor: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    fn new(len: usize) -> Self {
        let all = || (0..len as u32).collect();
        Self { semi: all(), best: all(), ancestor: vec![NONE; len], path: Vec::new() }
    }

    /// Returns the vertex with the smallest semidominator on the path from its tree's root (exclusive) to it.
    fn best(&mut self, vertex: u32) -> u32 {
        let mut at = vertex;
        let above = |forest: &Self, at: u32| forest.ancestor[at as usize];
        if above(self, at) == NONE {
            return self.best[at as usize];
        }
        while above(self, above(self, at)) != NONE {
            self.path.push(at);
            at = above(self, at);
        }
        while let Some(at) = self.path.pop() {
            let above = self.ancestor[at as usize] as usize;
            let (mine, theirs) = (self.best[at as usize], self.best[above]);
            if self.semi[theirs as usize] < self.semi[mine as usize] {
                self.best[at as usize] = theirs;
            }
            self.ancestor[at as usize] = self.ancestor[above];
        }
        self.best[vertex as usize]
    }
}

/// Returns, by vertex, the vertex that precedes it on a shortest path from the first of these groups of roots that
/// reaches it. Roots precede themselves; unreachable vertices have [`NONE`].
pub fn reached_from<'r>(graph: &References, groups: impl IntoIterator<Item = &'r [u32]>) -> Vec<u32> {
    let mut from = vec![NONE; graph.len()];
    let mut queue = Vec::new();
    for roots in groups {
        reach(graph, &mut from, &mut queue, roots);
    }
    from
}

/// Continues the search from further roots.
fn reach(graph: &References, from: &mut [u32], queue: &mut Vec<u32>, roots: &[u32]) {
    queue.clear();
    for &root in roots {
        if from[root as usize] == NONE {
            from[root as usize] = root;
            queue.push(root);
        }
    }
    let mut at = 0;
    while let Some(&vertex) = queue.get(at) {
        at += 1;
        for &target in graph.of(vertex) {
            if from[target as usize] == NONE {
                from[target as usize] = vertex;
                queue.push(target);
            }
        }
    }
}

/// Returns vertices from which all vertices not reached yet are reached, and reaches them: first those without
/// references to them, then one of each cycle.
pub fn roots_of_rest(graph: &References, from: &mut [u32]) -> Vec<u32> {
    let rest: Vec<u32> = (0..from.len() as u32).filter(|vertex| from[*vertex as usize] == NONE).collect();
    if rest.is_empty() {
        return rest;
    }
    let mut is_target = vec![false; from.len()];
    for &vertex in &rest {
        graph
            .of(vertex)
            .iter()
            .filter(|target| **target != vertex)
            .for_each(|target| is_target[*target as usize] = true);
    }
    let mut roots: Vec<u32> = rest.iter().copied().filter(|vertex| !is_target[*vertex as usize]).collect();
    let mut queue = Vec::new();
    reach(graph, from, &mut queue, &roots);
    for vertex in rest {
        if from[vertex as usize] == NONE {
            reach(graph, from, &mut queue, &[vertex]);
            roots.push(vertex);
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(of: &[&[u32]]) -> References {
        let mut graph = References::with_capacity(of.len(), 0);
        of.iter().for_each(|targets| graph.push(targets.iter().copied()));
        graph
    }

    /// Returns the dominator of each vertex by definition: removes each vertex in turn and checks which are still
    /// reachable.
    fn by_definition(graph: &References, root: u32) -> Vec<u32> {
        let reached = |without: u32| {
            let mut is_reached = vec![false; graph.len()];
            let mut open = vec![root];
            while let Some(vertex) = open.pop() {
                if vertex != without && !std::mem::replace(&mut is_reached[vertex as usize], true) {
                    open.extend(graph.of(vertex));
                }
            }
            is_reached
        };
        let all = reached(NONE);
        let without: Vec<Vec<bool>> = (0..graph.len() as u32).map(reached).collect();
        let dominates = |one: usize, other: usize| one != other && !without[one][other];
        let immediate = |vertex: usize| {
            let above: Vec<usize> = (0..graph.len()).filter(|&one| all[one] && dominates(one, vertex)).collect();
            above.iter().copied().find(|&one| above.iter().all(|&other| other == one || dominates(other, one)))
        };
        (0..graph.len())
            .map(|vertex| if all[vertex] { immediate(vertex).map_or(NONE, |one| one as u32) } else { NONE })
            .collect()
    }

    fn by_vertex(graph: &References, root: u32) -> Vec<u32> {
        let found = dominators(graph, root);
        let mut all = vec![NONE; graph.len()];
        for (at, &vertex) in found.order.iter().enumerate().skip(1) {
            assert!((found.immediate[at] as usize) < at);
            all[vertex as usize] = found.order[found.immediate[at] as usize];
        }
        all
    }

    #[test]
    fn vertex_on_two_paths_is_dominated_by_their_fork() {
        let diamond = graph(&[&[1, 2], &[3], &[3], &[4, 0], &[], &[4]]);
        assert_eq!(by_vertex(&diamond, 0), [NONE, 0, 0, 0, 3, NONE]);
    }

    proptest::proptest! {
        #[test]
        fn dominators_match_definition(edges: Vec<(u8, u8)>, size in 1..20_u32) {
            let mut of = vec![Vec::new(); size as usize];
            for (from, to) in edges {
                of[u32::from(from) as usize % size as usize].push(u32::from(to) % size);
            }
            let graph = graph(&of.iter().map(Vec::as_slice).collect::<Vec<_>>());
            proptest::prop_assert_eq!(by_vertex(&graph, 0), by_definition(&graph, 0));
        }

        #[test]
        fn unreached_vertices_are_reached_from_their_roots(edges: Vec<(u8, u8)>, size in 1..20_u32) {
            let mut of = vec![Vec::new(); size as usize];
            for (from, to) in edges {
                of[u32::from(from) as usize % size as usize].push(u32::from(to) % size);
            }
            let graph = graph(&of.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let mut from = reached_from(&graph, [&[0][..]]);
            roots_of_rest(&graph, &mut from);
            proptest::prop_assert!(from.iter().all(|from| *from != NONE));
        }
    }

    #[test]
    fn path_begins_in_first_group_that_reaches_vertex() {
        let shared = graph(&[&[1], &[2], &[3], &[], &[3]]);
        assert_eq!(reached_from(&shared, [&[0][..], &[4]]), [0, 0, 1, 2, 4], "however long the path is");
    }

    #[test]
    fn long_chains_need_no_recursion() {
        let length = 200_000;
        let mut chain = References::with_capacity(length, length);
        (1..length as u32).for_each(|next| chain.push([next, 0]));
        chain.push([length as u32 / 2]);
        assert_eq!(by_vertex(&chain, 0)[length - 1], length as u32 - 2);
    }
}
