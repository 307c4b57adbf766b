//! What can be done.

use protocol::topics::topic::Topic;

/// What a key does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Command {
    /// Show or hide the sheet of keys.
    Help,
    /// Go to the search field.
    Search,
    /// Choose a file.
    Open,
    /// Show the view at this place, from 1.
    ShowTab(u8),
    /// Show the analysis of a topic.
    ShowTopic(Topic),
    /// Light or dark.
    ToggleTheme,
    /// Closer.
    ZoomIn,
    /// Farther away.
    ZoomOut,
    /// To earlier times.
    PanEarlier,
    /// To later times.
    PanLater,
    /// Towards the first track.
    ScrollUp,
    /// Towards the last track.
    ScrollDown,
    /// The selected thing as wide as the window; again: the whole trace.
    FitSelection,
    /// The whole trace.
    Fit,
    /// The chosen range, as wide as the window.
    ZoomToRange,
    /// The range is kept as a bookmark; without one, what is shown becomes the range.
    MarkRange,
    /// The time of what is selected becomes the range.
    RangeOfSelection,
    /// The range ends later.
    RangeLonger,
    /// The range ends earlier.
    RangeShorter,
    /// The list of what was kept.
    Bookmarks,
    /// The next thing on the track that has the focus, else the next pause or exception.
    NextMoment,
    /// The one before it.
    PreviousMoment,
    /// To what the selected event leads to.
    FollowForward,
    /// To what leads to the selected event.
    FollowBack,
    /// The next event that contains what is searched for.
    NextMatch,
    /// The one before it.
    PreviousMatch,
    /// A list of all tracks by name.
    FindTrack,
    /// Keep the track in view, or no longer.
    PinTrack,
    /// Leave the track out.
    HideTrack,
    /// One place up among its siblings.
    MoveUp,
    /// One place down among its siblings.
    MoveDown,
    /// What the track shows, as a table.
    ShowTable,
    /// Give up the drag, then the selection, then the range.
    Clear,
    /// Next row.
    NextRow,
    /// Previous row.
    PreviousRow,
    /// A screenful of rows on.
    NextPage,
    /// A screenful of rows back.
    PreviousPage,
    /// First row.
    FirstRow,
    /// Last row.
    LastRow,
    /// Show what belongs to the row, or go into it.
    Expand,
    /// Hide what belongs to the row, or go out of it.
    Collapse,
    /// Show or hide what belongs to the row.
    ToggleExpanded,
    /// The box above: the caller.
    Outward,
    /// The box below: the heaviest callee.
    Inward,
    /// The neighbouring box to the right.
    NextBox,
    /// The neighbouring box to the left.
    PreviousBox,
    /// The box as wide as the window.
    ZoomToBox,
    /// One step back from [`Command::ZoomToBox`].
    ZoomOutOfBox,
    /// Every row of the stack, or only those with user code.
    ToggleFullStack,
    /// Show everything below the row, or everything.
    ExpandAll,
    /// What is shown, as text in the clipboard.
    CopyText,
    /// Choose the row.
    Choose,
    /// Narrow every view to the row, or widen again.
    FilterTo,
    /// The menu of what has the focus.
    Menu,
    /// Only what goes through the function, from it on.
    FocusFunction,
    /// Only what goes through this call, from it on.
    FocusNode,
    /// Only stacks with the function.
    KeepFunction,
    /// Without stacks with the function.
    DropFunction,
    /// The function is left out of stacks.
    MergeFunction,
    /// This call is left out of stacks.
    MergeNode,
    /// What the function calls becomes part of it.
    CollapseFunction,
    /// Functions of its module that call each other become one.
    CollapseModule,
    /// Calls of the function out of itself become one.
    CollapseRecursion,
    /// The frames that a folded one stands for.
    ShowFamily,
    /// Every view shows only what has the function on the stack.
    NarrowToFunction,
    /// No view shows what has the function on the stack.
    WithoutFunction,
    /// Callers and callees of the function.
    Pivot,
    /// Leaves become roots.
    InvertStacks,
    /// .NET's own frames are folded, or not.
    JustMyCode,
    /// Takes back what was done last to stacks.
    UndoTransform,
    /// The selected rows go on to the next one.
    ExtendNext,
    /// The selected rows go back to the previous one.
    ExtendPrevious,
    /// The selected rows go a screenful on.
    ExtendNextPage,
    /// The selected rows go a screenful back.
    ExtendPreviousPage,
    /// The selected rows go back to the first one.
    ExtendToFirst,
    /// The selected rows go on to the last one.
    ExtendToLast,
    /// To the next row, whatever is selected.
    PassToNext,
    /// To the previous row, whatever is selected.
    PassToPrevious,
    /// The row is selected besides others, or no longer.
    ToggleRow,
    /// Every row is selected.
    SelectAllRows,
    /// Only events like the row's.
    OnlyEvent,
    /// No events like the row's.
    WithoutEvent,
    /// Only the row's thread.
    OnlyThread,
    /// Without the row's thread.
    WithoutThread,
    /// Only the row's provider.
    OnlyProvider,
    /// Without the row's provider.
    WithoutProvider,
    /// Only events of the row's level, or more severe ones.
    OnlyLevel,
    /// Only events that have a value of the row's.
    OnlyValue,
    /// No events that have a value of the row's.
    WithoutValue,
    /// Only the events of the group.
    OnlyGroup,
    /// Without the events of the group.
    WithoutGroup,
    /// Nothing before the row.
    FromHere,
    /// Nothing after the row.
    UntilHere,
    /// Where the events that match were written.
    StacksOfThese,
    /// The timeline shows the time of the selected rows.
    ShowOnTimeline,
    /// The selected rows as comma-separated values in the clipboard.
    CopyCsv,
    /// The selected rows as an object a line in the clipboard.
    CopyJsonLines,
    /// Smallest first.
    SortAscending,
    /// Largest first.
    SortDescending,
    /// The column stands one place further left.
    ColumnLeft,
    /// The column stands one place further right.
    ColumnRight,
    /// The column is less wide.
    Narrower,
    /// The column is wider.
    Wider,
    /// The column is as wide as it is by itself.
    ForgetWidth,
    /// The column goes.
    RemoveColumn,
    /// Columns stand and are wide as at first.
    ResetColumns,
    /// All events that match as a file.
    SaveEvents,
    /// A list of everything that can be done and gone to.
    Palette,
    /// Asks for the address of a trace.
    OpenAddress,
    /// Back to the first screen.
    CloseTrace,
    /// The address of what is shown in the clipboard.
    CopyLink,
    /// The page and the trace as one file.
    SavePage,
    /// What the filters show as a trace.
    SavePart,
    /// Back to the previous view.
    GoBack,
    /// On to the next view.
    GoForward,
    /// What the filter leaves out is shown, and nothing else.
    InvertFilters,
    /// No filter.
    ClearFilters,
    /// How filters are written.
    FilterSyntax,
    /// Moments since the trace's start.
    ClockRelative,
    /// Moments as time of day, UTC.
    ClockUtc,
    /// Moments as time of day, here.
    ClockLocal,
    /// Tracks that were left out come back.
    ShowHiddenTracks,
    /// Tracks are as at first.
    ResetTracks,
    /// Threads, busiest first.
    ThreadsByActivity,
    /// Threads by name.
    ThreadsByName,
    /// Threads by the operating system's number.
    ThreadsByNumber,
    /// Threads by when they were first seen.
    ThreadsByFirstSeen,
    /// Stacks as a flame graph.
    ViewFlame,
    /// Stacks as a call tree.
    ViewTree,
    /// Stacks from their leaves.
    ViewBottomUp,
    /// Functions as a table.
    ViewFunctions,
    /// A function between its callers and its callees.
    ViewSandwich,
    /// A thread's stacks over time.
    ViewOverTime,
    /// What is folded and grouped.
    FoldOptions,
    /// What is shown becomes what is compared with.
    CompareKeep,
    /// Stacks are compared with all others.
    CompareRest,
    /// Stacks are compared with those of a range that was kept.
    CompareKept,
    /// Stacks are compared with nothing.
    CompareStop,
    /// What is compared changes places.
    CompareSwap,
    /// Stacks as a file.
    SaveStacks,
    /// Nothing is done to stacks.
    ResetSteps,
    /// The function's name in the clipboard.
    CopyName,
    /// Show the part of the metadata at this place, from 1.
    ShowPart(u8),
    /// The field that looks for schemas.
    FindSchema,
    /// Only events of the chosen kind, one by one.
    ShowTheseEvents,
    /// What values the fields of the chosen kind have.
    ReadFieldValues,
    /// The chosen kind beside another version of it.
    CompareVersions,
    /// All kinds beside those of another trace.
    CompareSchemas,
    /// Back from a comparison of kinds.
    EndSchemaComparison,
    /// All schemas as JSON.
    SaveSchemasJson,
    /// All schemas as C#.
    SaveSchemasCSharp,
    /// The byte behind.
    NextByte,
    /// The byte before.
    PreviousByte,
    /// The first byte of the file.
    FirstByte,
    /// The last byte of the file.
    LastByte,
    /// The selected bytes go on to the next one.
    ExtendByte,
    /// The selected bytes go back to the one before.
    ExtendBack,
    /// The part of the structure behind the selected one.
    NextPart,
    /// The part of the structure before the selected one.
    PreviousPart,
    /// The next event, description, stack of a block.
    NextItem,
    /// The one before it.
    PreviousItem,
    /// The next block of the file.
    NextBlock,
    /// The block before it.
    PreviousBlock,
    /// Asks for a position in the file.
    GoToOffset,
    /// From bytes to the event that they are of.
    ShowEvent,
    /// From an event or a block to its bytes.
    ShowBytes,
    /// The events of a block's time.
    EventsOfBlock,
    /// What is like the row is left out.
    ExcludeRow,
    /// All columns of the report's table, or the most important ones.
    AllColumns,
    /// All rows of the report's table as a file.
    SaveTable,
    /// The charts of the report as tables, or as pictures.
    ChartsAsTables,
    /// What records what the report would be about, in the clipboard.
    CopyCommand,
}

impl Command {
    /// Its name, as it stands in the page for tests.
    pub fn name(self) -> String {
        format!("{self:?}")
    }
}
