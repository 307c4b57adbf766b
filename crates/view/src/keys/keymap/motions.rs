//! Commands that move the focus or act while a key is down, so they aren't listed as actions.

use super::Command;

impl Command {
    /// Returns whether the command moves the focus, or acts while a key is down: it isn't a named action.
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
