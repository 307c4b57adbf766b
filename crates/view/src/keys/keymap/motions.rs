//! Which commands are no actions: what moves the focus, or lasts as long as a key is down.

use super::Command;

impl Command {
    /// Whether it moves what has the focus, or does something for as long as a key is down: no action that has a name.
    pub fn is_motion(self) -> bool {
        use Command::*;
        matches!(
            self,
            ZoomIn
                | ZoomOut
                | PanEarlier
                | PanLater
                | ScrollUp
                | ScrollDown
                | Clear
                | Choose
                | Menu
                | Palette
                | RangeLonger
                | RangeShorter
                | NextRow
                | PreviousRow
                | NextPage
                | PreviousPage
                | FirstRow
                | LastRow
                | Expand
                | Collapse
                | Outward
                | Inward
                | NextBox
                | PreviousBox
                | ZoomToBox
                | ZoomOutOfBox
                | ExtendNext
                | ExtendPrevious
                | ExtendNextPage
                | ExtendPreviousPage
                | ExtendToFirst
                | ExtendToLast
                | PassToNext
                | PassToPrevious
                | ToggleRow
                | Narrower
                | Wider
                | ColumnLeft
                | ColumnRight
                | NextByte
                | PreviousByte
                | FirstByte
                | LastByte
                | ExtendByte
                | ExtendBack
        )
    }
}
