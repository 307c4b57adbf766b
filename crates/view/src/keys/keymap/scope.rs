//! Parts of the page with their own keyboard shortcuts.

use protocol::named;

named! {
    /// Part of the page with its own shortcuts. Declared in the order of the list of shortcuts.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Scope {
        /// The whole page, unless the focused part has its own shortcut for the key.
        Everywhere: "Global";
        Timeline: "Timeline";
        /// Track headers.
        Tracks: "Tracks";
        /// Flame graph and call tree.
        Stacks: "Stacks";
        Tables: "Tables";
        Events: "Event rows";
        /// Rows of the tables of reports.
        Topics: "Table rows";
        /// Column headings of the event table.
        Columns: "Column headers";
        /// Block strip and cost boxes of the Metadata tab.
        Metadata: "Metadata";
        Bytes: "Hex view";
    }
    /// Returns the heading.
    fn title;
}
