//! Parts of the page with their own keyboard shortcuts.

/// Part of the page with its own shortcuts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// The whole page, unless the focused part has its own shortcut for the key.
    Everywhere,
    /// Canvas of the timeline.
    Timeline,
    /// Track headers.
    Tracks,
    /// Flame graph and call tree.
    Stacks,
    Tables,
    /// Rows of the event table.
    Events,
    /// Rows of the tables of reports.
    Topics,
    /// Column headings of the event table.
    Columns,
    /// Block strip and cost boxes of the Metadata tab.
    Metadata,
    /// Bytes of the file.
    Bytes,
}

impl Scope {
    /// All parts, in the order of the list of shortcuts.
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

    /// Returns the heading.
    pub fn title(self) -> &'static str {
        match self {
            Scope::Everywhere => "Global",
            Scope::Timeline => "Timeline",
            Scope::Tracks => "Tracks",
            Scope::Stacks => "Stacks",
            Scope::Tables => "Tables",
            Scope::Events => "Event rows",
            Scope::Topics => "Table rows",
            Scope::Columns => "Column headers",
            Scope::Metadata => "Metadata",
            Scope::Bytes => "Hex view",
        }
    }
}
