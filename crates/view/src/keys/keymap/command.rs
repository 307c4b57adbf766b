//! Commands of the page.

use protocol::topics::topic::Topic;

/// Command of the page, with or without a shortcut.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Command {
    /// Shows or hides the list of shortcuts.
    Help,
    /// Moves the focus to the search field.
    Search,
    /// Opens a file.
    Open,
    /// Opens the tab at a position, from 1.
    ShowTab(u8),
    /// Opens the tab of an analysis.
    ShowTopic(Topic),
    /// Switches between light and dark.
    ToggleTheme,
    /// Zooms in.
    ZoomIn,
    /// Zooms out.
    ZoomOut,
    /// Pans to earlier times.
    PanEarlier,
    /// Pans to later times.
    PanLater,
    /// Scrolls towards the first track.
    ScrollUp,
    /// Scrolls towards the last track.
    ScrollDown,
    /// Zooms to the selected item; again: to the whole trace.
    FitSelection,
    /// Zooms to the whole trace.
    Fit,
    /// Zooms to the selected time range.
    ZoomToRange,
    /// Saves the selected time range; selects the visible time if there is none.
    MarkRange,
    /// Selects the time of the selected item as the time range.
    RangeOfSelection,
    /// Moves the end of the time range later.
    RangeLonger,
    /// Moves the end of the time range earlier.
    RangeShorter,
    /// Lists the saved ranges.
    Bookmarks,
    /// Selects the next item of the focused track, or the next pause or exception.
    NextMoment,
    /// Selects the previous item.
    PreviousMoment,
    /// Follows a link from the selected event.
    FollowForward,
    /// Follows a link to the selected event.
    FollowBack,
    /// Selects the next event that matches the search.
    NextMatch,
    /// Selects the previous match.
    PreviousMatch,
    /// Finds a track by name.
    FindTrack,
    /// Pins or unpins the track.
    PinTrack,
    /// Hides the track.
    HideTrack,
    /// Moves the track up among its siblings.
    MoveUp,
    /// Moves the track down among its siblings.
    MoveDown,
    /// Shows the items of the track as a table.
    ShowTable,
    /// Cancels the drag, then clears the selection, then the time range.
    Clear,
    /// Moves to the next row.
    NextRow,
    /// Moves to the previous row.
    PreviousRow,
    /// Moves a page down.
    NextPage,
    /// Moves a page up.
    PreviousPage,
    /// Moves to the first row.
    FirstRow,
    /// Moves to the last row.
    LastRow,
    /// Expands the row, or moves to its first child.
    Expand,
    /// Collapses the row, or moves to its parent.
    Collapse,
    /// Expands or collapses the row.
    ToggleExpanded,
    /// Moves to the caller.
    Outward,
    /// Moves to the heaviest callee.
    Inward,
    /// Moves to the frame on the right.
    NextBox,
    /// Moves to the frame on the left.
    PreviousBox,
    /// Zooms to the frame.
    ZoomToBox,
    /// Undoes one [`Command::ZoomToBox`].
    ZoomOutOfBox,
    /// Shows all rows of the stack, or only those with your code.
    ToggleFullStack,
    /// Expands everything below the row, or everything.
    ExpandAll,
    /// Copies the visible content as text.
    CopyText,
    /// Selects the row.
    Choose,
    /// Filters to the row, or removes that filter.
    FilterTo,
    /// Opens the context menu of the focused item.
    Menu,
    /// Focuses on the function: keeps stacks through it, from it on.
    FocusFunction,
    /// Focuses on the call: keeps stacks through it, from it on.
    FocusNode,
    /// Keeps only stacks with the function.
    KeepFunction,
    /// Removes stacks with the function.
    DropFunction,
    /// Merges the function into its callers.
    MergeFunction,
    /// Merges the call into its caller.
    MergeNode,
    /// Collapses the callees into the function.
    CollapseFunction,
    /// Collapses functions of the module that call each other.
    CollapseModule,
    /// Collapses recursive calls of the function.
    CollapseRecursion,
    /// Shows the frames that a folded frame represents.
    ShowFamily,
    /// Filters all views to events with the function on the stack.
    NarrowToFunction,
    /// Excludes events with the function on the stack from all views.
    WithoutFunction,
    /// Shows callers and callees of the function.
    Pivot,
    /// Inverts stacks.
    InvertStacks,
    /// Toggles Just My Code.
    JustMyCode,
    /// Undoes the last transform.
    UndoTransform,
    /// Extends the selection to the next row.
    ExtendNext,
    /// Extends the selection to the previous row.
    ExtendPrevious,
    /// Extends the selection a page down.
    ExtendNextPage,
    /// Extends the selection a page up.
    ExtendPreviousPage,
    /// Extends the selection to the first row.
    ExtendToFirst,
    /// Extends the selection to the last row.
    ExtendToLast,
    /// Moves the focus to the next row and keeps the selection.
    PassToNext,
    /// Moves the focus to the previous row and keeps the selection.
    PassToPrevious,
    /// Toggles the selection of the row and keeps the others.
    ToggleRow,
    /// Selects all rows.
    SelectAllRows,
    /// Filters to the row's event type.
    OnlyEvent,
    /// Excludes the row's event type.
    WithoutEvent,
    /// Filters to the row's thread.
    OnlyThread,
    /// Excludes the row's thread.
    WithoutThread,
    /// Filters to the row's provider.
    OnlyProvider,
    /// Excludes the row's provider.
    WithoutProvider,
    /// Filters to the row's level and more severe ones.
    OnlyLevel,
    /// Filters to a value of the row.
    OnlyValue,
    /// Excludes a value of the row.
    WithoutValue,
    /// Filters to the group.
    OnlyGroup,
    /// Excludes the group.
    WithoutGroup,
    /// Starts the time range at the row.
    FromHere,
    /// Ends the time range at the row.
    UntilHere,
    /// Shows the stacks of the matching events.
    StacksOfThese,
    /// Shows the time of the selected rows on the timeline.
    ShowOnTimeline,
    /// Copies the selected rows as comma-separated values.
    CopyCsv,
    /// Copies the selected rows as JSON, one object per line.
    CopyJsonLines,
    /// Sorts ascending.
    SortAscending,
    /// Sorts descending.
    SortDescending,
    /// Moves the column left.
    ColumnLeft,
    /// Moves the column right.
    ColumnRight,
    /// Makes the column narrower.
    Narrower,
    /// Makes the column wider.
    Wider,
    /// Resets the column's width.
    ForgetWidth,
    /// Hides the column.
    RemoveColumn,
    /// Resets order, widths and visibility of columns.
    ResetColumns,
    /// Saves all matching events as a file.
    SaveEvents,
    /// Opens the palette of all commands.
    Palette,
    /// Opens a trace from a URL.
    OpenAddress,
    /// Closes the trace and returns to the start page.
    CloseTrace,
    /// Copies the URL of the view.
    CopyLink,
    /// Saves the page with the trace as one file.
    SavePage,
    /// Saves the filtered events as a trace.
    SavePart,
    /// Goes back to the previous view.
    GoBack,
    /// Goes forward to the next view.
    GoForward,
    /// Inverts the filter.
    InvertFilters,
    /// Clears the filter.
    ClearFilters,
    /// Shows the filter syntax.
    FilterSyntax,
    /// Shows times since the start of the trace.
    ClockRelative,
    /// Shows times of day in UTC.
    ClockUtc,
    /// Shows local times of day.
    ClockLocal,
    /// Shows hidden tracks again.
    ShowHiddenTracks,
    /// Resets tracks.
    ResetTracks,
    /// Sorts threads by activity.
    ThreadsByActivity,
    /// Sorts threads by name.
    ThreadsByName,
    /// Sorts threads by OS thread ID.
    ThreadsByNumber,
    /// Sorts threads by first event.
    ThreadsByFirstSeen,
    /// Shows stacks as a flame graph.
    ViewFlame,
    /// Shows stacks as a call tree.
    ViewTree,
    /// Shows stacks as an inverted call tree.
    ViewBottomUp,
    /// Shows functions as a table.
    ViewFunctions,
    /// Shows a function with its callers and callees.
    ViewSandwich,
    /// Shows the stacks of a thread over time.
    ViewOverTime,
    /// Opens the options of folding and grouping.
    FoldOptions,
    /// Uses the current filter as the baseline.
    CompareKeep,
    /// Compares stacks with those of all other events.
    CompareRest,
    /// Compares stacks with those of a saved range.
    CompareKept,
    /// Ends the comparison.
    CompareStop,
    /// Swaps the filter and the baseline.
    CompareSwap,
    /// Saves stacks as a file.
    SaveStacks,
    /// Resets transforms.
    ResetSteps,
    /// Copies the name of the function.
    CopyName,
    /// Opens the part of the Metadata tab at a position, from 1.
    ShowPart(u8),
    /// Moves the focus to the search field of schemas.
    FindSchema,
    /// Shows the events of the selected type.
    ShowTheseEvents,
    /// Reads the field values of the selected type.
    ReadFieldValues,
    /// Compares versions of the selected type.
    CompareVersions,
    /// Compares schemas with those of another trace.
    CompareSchemas,
    /// Ends the comparison of schemas.
    EndSchemaComparison,
    /// Saves all schemas as JSON.
    SaveSchemasJson,
    /// Saves all schemas as C#.
    SaveSchemasCSharp,
    /// Moves to the next byte.
    NextByte,
    /// Moves to the previous byte.
    PreviousByte,
    /// Moves to the first byte of the file.
    FirstByte,
    /// Moves to the last byte of the file.
    LastByte,
    /// Extends the selection to the next byte.
    ExtendByte,
    /// Extends the selection to the previous byte.
    ExtendBack,
    /// Selects the next part of the structure.
    NextPart,
    /// Selects the previous part of the structure.
    PreviousPart,
    /// Selects the next event, metadata record or stack of a block.
    NextItem,
    /// Selects the previous one.
    PreviousItem,
    /// Selects the next block.
    NextBlock,
    /// Selects the previous block.
    PreviousBlock,
    /// Goes to an offset in the file.
    GoToOffset,
    /// Shows the event that contains the selected bytes.
    ShowEvent,
    /// Shows the bytes of an event or block.
    ShowBytes,
    /// Filters to the time of a block.
    EventsOfBlock,
    /// Excludes events like the row's.
    ExcludeRow,
    /// Shows all columns of the report's table, or the most important ones.
    AllColumns,
    /// Saves all rows of the report's table as a file.
    SaveTable,
    /// Shows the report's charts as tables, or as pictures.
    ChartsAsTables,
    /// Copies the command that records the missing data.
    CopyCommand,
}

impl Command {
    /// Returns the name in the page for tests.
    pub fn name(self) -> String {
        format!("{self:?}")
    }
}
