//! The parts of the page in which keys mean something.

/// Where a key means something.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// Wherever the focus is, unless the focused part has a meaning of its own for the key.
    Everywhere,
    /// The picture of the timeline.
    Timeline,
    /// The list of tracks beside it.
    Tracks,
    /// Flame graph and call tree.
    Stacks,
    /// Tables.
    Tables,
    /// Rows of the table of events.
    Events,
    /// Rows of the tables of reports.
    Topics,
    /// Heads of the columns of the table of events.
    Columns,
    /// What the file says about itself: strip of blocks, boxes of costs.
    Metadata,
    /// The bytes of the file.
    Bytes,
}

impl Scope {
    /// All, in the order of the sheet.
    pub const ALL: [Scope; 10] = [
        Scope::Everywhere,
        Scope::Timeline,
        Scope::Tracks,
        Scope::Stacks,
        Scope::Tables,
        Scope::Events,
        Scope::Topics,
        Scope::Columns,
        Scope::Metadata,
        Scope::Bytes,
    ];

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Scope::Everywhere => "Global",
            Scope::Timeline => "Timeline",
            Scope::Tracks => "Tracks",
            Scope::Stacks => "Stacks",
            Scope::Tables => "Tables",
            Scope::Events => "Event rows",
            Scope::Topics => "Table rows",
            Scope::Columns => "Event column headers",
            Scope::Metadata => "Metadata",
            Scope::Bytes => "Hex view",
        }
    }
}
