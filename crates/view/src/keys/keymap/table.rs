//! Table of all commands. A line has the command, whether it is a motion, and for each part of the page where it applies
//! its name, its shortcuts and its synonyms.

use super::{Binding, Scope, alt, control, control_named, named, place, shift_named, shifted, sign};
use protocol::topics::topic::Topic;

/// Declares the commands, and what is known about each.
macro_rules! commands {
    ($($command:ident $($motion:ident)?: $($scope:ident $name:literal [$($chord:expr),*] $(or $synonyms:literal)?),+;)*) => {
        /// Command of the page, with or without a shortcut.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Command {
            $($(#[doc = $name])+ $command,)*
            /// Opens the tab of an analysis.
            ShowTopic(Topic),
        }

        impl Command {
            /// Returns the identifier, which marks buttons on the page; the same for the tabs of all analyses.
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$command => stringify!($command),)*
                    Self::ShowTopic(_) => "ShowTopic",
                }
            }

            /// Returns whether the command moves the focus, or acts while a key is down, so that the palette doesn't
            /// list it.
            pub fn is_motion(self) -> bool {
                matches!(self, $($(| commands!(@$motion $command))?)*)
            }
        }

        const TABLE: &[Binding] = &[
            $($(Binding {
                command: Command::$command,
                scope: Scope::$scope,
                chords: &[$($chord),*],
                name: $name,
            },)+)*
        ];

        const SYNONYMS: &[(Scope, Command, &str)] =
            &[$($($((Scope::$scope, Command::$command, $synonyms),)?)+)*];
    };
    (@motion $command:ident) => { Self::$command };
}

commands! {
    // Everywhere.
    Palette motion: Everywhere "Command palette" [control("KeyK")] or "actions menu run";
    Search: Everywhere "Search" [sign("/"), control("KeyF")] or "find filter query";
    FindTrack: Everywhere "Find track" [control("KeyP")] or "thread counter jump";
    Open: Everywhere "Open trace" [control("KeyO")] or "load file drop import";
    ShowSummary: Everywhere "Open Summary" [place("Digit1")] or "overview findings insights start";
    ShowStacks: Everywhere "Open Stacks" [place("Digit2")] or "profile flame graph call tree cpu profiler";
    ShowEvents: Everywhere "Open Events" [place("Digit3")] or "log table list markers";
    ShowMetadata: Everywhere "Open Metadata" [place("Digit4")] or "file header schemas blocks info";
    ShowComparison: Everywhere "Open Compare" [] or "diff before after regression";
    SwapTraces: Everywhere "Swap before and after" [] or "compare exchange traces";
    CloseSecondTrace: Everywhere "Close second trace" [] or "compare baseline timeline unload";
    MaximizeTab: Everywhere "Maximize or restore tab" [shifted("KeyF")]
        or "hide timeline fullscreen full screen expand panel";
    ToggleTheme: Everywhere "Toggle theme" [shifted("KeyT")] or "dark light mode night colors contrast";
    Help: Everywhere "Keyboard shortcuts" [sign("?")] or "hotkeys keys help cheat sheet bindings";
    OpenAddress: Everywhere "Open trace from URL" [] or "download link";
    CloseTrace: Everywhere "Close trace" [] or "home start exit unload";
    CopyLink: Everywhere "Copy link to this view" [] or "share url permalink";
    CopyView: Everywhere "Copy view as text" [] or "share table findings report clipboard";
    CopyMarkdown: Everywhere "Copy view as Markdown" [] or "share table findings report clipboard issue pull request";
    SavePage: Everywhere "Save as HTML (viewer and trace)" [] or "export share";
    SavePart: Everywhere "Save filtered trace (.nettrace)" [] or "export extract";
    GoBack: Everywhere "Undo" [] or "back history previous";
    GoForward: Everywhere "Redo" [] or "forward history";
    InvertFilters: Everywhere "Invert filters" [] or "not exclude negate opposite";
    ClearFilters: Everywhere "Clear all filters" [] or "remove reset unfilter all events";
    FilterSyntax: Everywhere "Filter syntax" [] or "query language help examples";
    // Timeline.
    ZoomIn motion: Timeline "Zoom in" [place("KeyW"), sign("+"), named("=")],
        Metadata "Zoom in" [place("KeyW"), sign("+"), named("=")];
    ZoomOut motion: Timeline "Zoom out" [place("KeyS"), sign("-")], Metadata "Zoom out" [place("KeyS"), sign("-")];
    PanEarlier motion: Timeline "Pan left" [place("KeyA"), named("ArrowLeft")],
        Metadata "Pan toward file start" [place("KeyA")];
    PanLater motion: Timeline "Pan right" [place("KeyD"), named("ArrowRight")],
        Metadata "Pan toward file end" [place("KeyD")];
    ScrollUp motion: Timeline "Scroll up" [named("ArrowUp")];
    ScrollDown motion: Timeline "Scroll down" [named("ArrowDown")];
    FitSelection: Timeline "Zoom to selection" [place("KeyF")] or "frame focus time fit";
    Fit: Timeline "Show whole trace" [place("Digit0")] or "reset zoom out fit all entire",
        Metadata "Show whole file" [place("Digit0")];
    ZoomToRange: Timeline "Zoom to time range" [place("KeyZ")] or "fit range";
    RangeOfSelection: Timeline "Set as time range" [place("KeyR")] or "crop limit select brush",
        Events "Set as time range" [place("KeyR")],
        Topics "Set as time range" [place("KeyR")];
    RangeLonger motion: Timeline "Extend range" [shift_named("ArrowRight")];
    RangeShorter motion: Timeline "Shrink range" [shift_named("ArrowLeft")];
    MarkRange: Timeline "Save time range" [place("KeyM")] or "bookmark mark note visible";
    Bookmarks: Timeline "Notes and saved ranges" [place("KeyB")] or "bookmarks marks";
    NextMatch: Timeline "Next matching event" [named("Enter")] or "find next search result";
    PreviousMatch: Timeline "Previous matching event" [shift_named("Enter")] or "find previous search result";
    Clear motion: Everywhere "Close, cancel or deselect" [named("Escape")],
        Timeline "Clear selection, then range" [named("Escape")];
    ClockRelative: Timeline "Time relative to start" [] or "clock";
    ClockUtc: Timeline "Time of day (UTC)" [] or "clock absolute wall";
    ClockLocal: Timeline "Time of day (local)" [] or "clock absolute wall timezone";
    ShowHiddenTracks: Timeline "Show hidden tracks" [] or "unhide restore";
    ThreadsByActivity: Timeline "Sort threads by activity" [] or "order busiest cpu";
    ThreadsByName: Timeline "Sort threads by name" [] or "order alphabetical";
    ThreadsByNumber: Timeline "Sort threads by ID" [] or "order number tid";
    ThreadsByFirstSeen: Timeline "Sort threads by first seen" [] or "order start";
    SaveSvg: Timeline "Save timeline as SVG" [] or "export picture image",
        Stacks "Save flame graph as SVG" [] or "export picture image",
        Topics "Save charts as SVG" [] or "export picture image";
    SavePng: Timeline "Save timeline as PNG" [] or "export picture image screenshot",
        Stacks "Save flame graph as PNG" [] or "export picture image screenshot",
        Topics "Save charts as PNG" [] or "export picture image screenshot";
    CopyPicture: Timeline "Copy picture of timeline" [] or "image PNG screenshot",
        Stacks "Copy picture of flame graph" [] or "image PNG screenshot",
        Topics "Copy picture of charts" [] or "image PNG screenshot";
    ResetTracks: Timeline "Reset track layout" [] or "default order";
    // Tracks.
    PreviousRow motion: Tracks "Previous track" [named("ArrowUp")],
        Tables "Previous row" [named("ArrowUp")],
        Bytes "Line up" [named("ArrowUp")];
    NextRow motion: Tracks "Next track" [named("ArrowDown")],
        Tables "Next row" [named("ArrowDown")],
        Bytes "Line down" [named("ArrowDown")];
    FirstRow motion: Tracks "First track" [named("Home")],
        Tables "First row" [named("Home")],
        Bytes "Line start" [named("Home")];
    LastRow motion: Tracks "Last track" [named("End")],
        Tables "Last row" [named("End")],
        Bytes "Line end" [named("End")];
    Expand motion: Tracks "Expand, or go to first child" [named("ArrowRight")], Tables "Expand" [named("ArrowRight")];
    Collapse motion: Tracks "Collapse, or go to parent" [named("ArrowLeft")],
        Tables "Collapse, or go to parent" [named("ArrowLeft")];
    ToggleExpanded: Tracks "Expand or collapse" [named(" ")], Tables "Expand or collapse" [named(" ")];
    ToggleFullStack: Tracks "Toggle all stack levels" [place("KeyE")] or "expand depth full";
    Choose motion: Tracks "Show thread details" [named("Enter")],
        Stacks "Show function details" [named(" ")],
        Tables "Show row details" [named("Enter")],
        Metadata "Show block bytes" [named("Enter")];
    FilterTo: Tracks "Filter to this thread or process" [place("KeyT")] or "only isolate solo include",
        Topics "Filter to this row" [place("KeyT")];
    ExcludeRow: Tracks "Exclude this thread or process" [place("KeyX")] or "without remove drop",
        Topics "Exclude this row" [place("KeyX")];
    PinTrack: Tracks "Pin track" [place("KeyP")] or "favorite keep top";
    HideTrack: Tracks "Hide track" [place("KeyH")] or "remove collapse";
    MoveUp: Tracks "Move track up" [alt("ArrowUp")];
    MoveDown: Tracks "Move track down" [alt("ArrowDown")];
    NextMoment: Timeline "Next slice, GC pause or exception" [sign(".")] or "next marker",
        Tracks "Next slice" [sign(".")];
    PreviousMoment: Timeline "Previous slice, GC pause or exception" [sign(",")] or "previous marker",
        Tracks "Previous slice" [sign(",")];
    FollowForward: Timeline "Follow flow forward" [sign("]")] or "arrow link effect wakes",
        Tracks "Follow flow forward" [sign("]")];
    FollowBack: Timeline "Follow flow back" [sign("[")] or "arrow link cause woken",
        Tracks "Follow flow back" [sign("[")];
    AddNote: Timeline "Add note…" [place("KeyN")] or "annotate comment flag marker",
        Tracks "Add note to track…" [place("KeyN")] or "annotate comment thread";
    ShowTable: Tracks "Show track as table" [place("KeyV")] or "data list rows accessible";
    MoreTracks: Tracks "Show or hide other runtime tracks" [] or "all counters";
    // Stacks.
    Outward motion: Stacks "Caller" [named("ArrowUp")], Metadata "Parent box" [named("ArrowUp")];
    Inward motion: Stacks "Heaviest callee" [named("ArrowDown")], Metadata "First child box" [named("ArrowDown")];
    PreviousBox motion: Stacks "Previous sibling frame" [named("ArrowLeft")],
        Metadata "Previous block or box" [named("ArrowLeft")];
    NextBox motion: Stacks "Next sibling frame" [named("ArrowRight")],
        Metadata "Next block or box" [named("ArrowRight")];
    ZoomToBox motion: Stacks "Zoom to frame" [named("Enter")];
    ZoomOutOfBox motion: Stacks "Zoom out" [named("Backspace"), named("Escape")];
    FocusFunction: Stacks "Focus on function" [place("KeyF")] or "subtree drill into root";
    FocusNode: Stacks "Focus on call" [shifted("KeyF")] or "subtree drill into root";
    KeepFunction: Stacks "Keep only stacks with this function" [place("KeyK")] or "include incpats only containing";
    DropFunction: Stacks "Drop stacks with this function" [place("KeyD")] or "exclude excpats samples without";
    MergeFunction: Stacks "Merge function into callers" [place("KeyM")] or "foldpats hide inline remove function";
    MergeNode: Stacks "Merge call into caller" [shifted("KeyM")];
    CollapseFunction: Stacks "Collapse callees" [place("KeyC")] or "fold children function subtree";
    CollapseModule: Stacks "Collapse module" [shifted("KeyC")] or "fold library dll assembly";
    CollapseRecursion: Stacks "Collapse recursion of this function" [place("KeyR")] or "fold recursive";
    ShowFamily: Stacks "Expand folded frame" [place("KeyE")] or "unfold open ungroup";
    NarrowToFunction: Stacks "Filter to stacks with this function" [place("KeyX")] or "only containing";
    WithoutFunction: Stacks "Exclude stacks with this function" [shifted("KeyX")];
    Pivot: Stacks "Show callers and callees" [place("KeyS")] or "caller callee who calls";
    InvertStacks: Stacks "Invert call stacks" [place("KeyI")] or "reverse flip upside down inverted callers";
    JustMyCode: Stacks "Toggle Just my code" [place("KeyJ")] or "justmyapp framework external system libraries user";
    UndoTransform: Stacks "Undo last transform" [place("KeyU")] or "back revert";
    CopyText: Stacks "Copy stack" [control("KeyC")],
        Tables "Copy table or selected events" [control("KeyC")],
        Events "Copy as TSV" [control("KeyC")],
        Topics "Copy table as CSV" [],
        Bytes "Copy selected bytes" [control("KeyC")];
    CopyName: Stacks "Copy name" [];
    ViewFlame: Stacks "Flame graph" [] or "icicle left-heavy flamegraph";
    ViewTree: Stacks "Call tree" [] or "calltree top-down hierarchy";
    ViewBottomUp: Stacks "Bottom-up" [] or "inverted heavy back traces backtraces callers exclusive reverse";
    ViewFunctions: Stacks "Functions" [] or "methods top list hottest heaviest hot spots hotspots byname self plain";
    ViewSandwich: Stacks "Sandwich" [] or "callers callees caller-callee butterfly";
    ViewOverTime: Stacks "Over time" [] or "stack chart time order chronological sequence";
    FoldOptions: Stacks "Group and fold stacks" [] or "collapse grouppats foldpats patterns roots modules";
    CompareKeep: Stacks "Set baseline" [] or "compare diff before regression";
    CompareRest: Stacks "Compare with everything else" [] or "diff baseline rest";
    CompareKept: Stacks "Compare with a saved range" [] or "diff baseline before after";
    CompareSwap: Stacks "Swap current view and baseline" [] or "diff exchange reverse";
    CompareStop: Stacks "Stop comparing" [] or "diff end";
    SaveStacks: Stacks "Export stacks" [] or "save download speedscope pprof firefox chrome csv folded";
    ResetSteps: Stacks "Reset transforms" [] or "clear undo all original stacks";
    // Tables.
    PreviousPage motion: Tables "Page back" [named("PageUp")], Bytes "Page up" [named("PageUp")];
    NextPage motion: Tables "Page forward" [named("PageDown")], Bytes "Page down" [named("PageDown")];
    ExpandAll: Tables "Expand subtree" [sign("*")];
    OpenBefore: Tables "Open in trace A" [] or "compare before old baseline";
    OpenAfter: Tables "Open in trace B" [] or "compare after new";
    ExtendPrevious motion: Tables "Extend selection up" [shift_named("ArrowUp")],
        Bytes "Extend selection up" [shift_named("ArrowUp")];
    ExtendNext motion: Tables "Extend selection down" [shift_named("ArrowDown")],
        Bytes "Extend selection down" [shift_named("ArrowDown")];
    ExtendPreviousPage motion: Tables "Extend selection page up" [shift_named("PageUp")];
    ExtendNextPage motion: Tables "Extend selection page down" [shift_named("PageDown")];
    ExtendToFirst motion: Tables "Extend selection to first event" [shift_named("Home")];
    ExtendToLast motion: Tables "Extend selection to last event" [shift_named("End")];
    PassToPrevious motion: Tables "Move up, keep selection" [control_named("ArrowUp")];
    PassToNext motion: Tables "Move down, keep selection" [control_named("ArrowDown")];
    ToggleRow motion: Tables "Toggle event in selection" [control("Space")];
    SelectAllRows: Tables "Select all matching events" [control("KeyA")];
    Menu motion: Tracks "Track menu" [named("ContextMenu"), shift_named("F10")],
        Stacks "Frame menu" [named("ContextMenu"), shift_named("F10")],
        Tables "Row menu" [named("ContextMenu"), shift_named("F10")],
        Columns "Column menu" [named("ContextMenu"), shift_named("F10")];
    // Events.
    ShowBytes: Events "Show bytes" [place("KeyB")], Bytes "Show block bytes" [];
    StacksOfThese: Events "Show stacks of matching events" [place("KeyS")] or "call stack flame any",
        Topics "Show stacks of these events" [place("KeyS")];
    ShowOnTimeline: Events "Show on timeline" [place("KeyL")] or "locate goto jump reveal",
        Topics "Show on timeline" [place("KeyL")],
        Bytes "Show block on timeline" [place("KeyL")];
    OnlyEvent: Events "Filter to this event type" [];
    WithoutEvent: Events "Exclude this event type" [];
    OnlyThread: Events "Filter to this thread" [];
    WithoutThread: Events "Exclude this thread" [];
    OnlyProvider: Events "Filter to this provider" [];
    WithoutProvider: Events "Exclude this provider" [];
    OnlyLevel: Events "Filter to this level and above" [];
    OnlyValue: Events "Filter to this value" [];
    WithoutValue: Events "Exclude this value" [];
    OnlyGroup: Events "Filter to this group" [];
    WithoutGroup: Events "Exclude this group" [];
    FromHere: Events "Start range here" [];
    UntilHere: Events "End range here" [];
    CopyCsv: Events "Copy as CSV" [];
    CopyJsonLines: Events "Copy as JSON lines" [];
    SaveEvents: Events "Export matching events" [] or "save download CSV JSON";
    GroupEvents: Events "Group events" [] or "aggregate count by pivot histogram";
    MeasureGroups: Events "Aggregate a numeric field" [] or "sum percentile";
    LongerThan: Events "Filter by duration" [] or "slow duration minimum";
    SortByField: Events "Sort by payload field" [] or "order column";
    // Topics.
    AllColumns: Topics "Toggle all columns" [];
    SaveTable: Topics "Export table as CSV" [] or "download save";
    ChartsAsTables: Topics "Show chart data" [] or "values table accessible";
    CopyCommand: Topics "Copy recording command" [] or "dotnet-trace collect record";
    // Columns.
    ColumnLeft motion: Columns "Move column left" [alt("ArrowLeft")];
    ColumnRight motion: Columns "Move column right" [alt("ArrowRight")];
    Narrower motion: Columns "Decrease width" [shift_named("ArrowLeft")];
    Wider motion: Columns "Increase width" [shift_named("ArrowRight")];
    RemoveColumn: Columns "Hide column" [named("Delete")];
    SortAscending: Columns "Sort ascending" [];
    SortDescending: Columns "Sort descending" [];
    ForgetWidth: Columns "Reset width" [];
    ShowColumns: Columns "Show or hide columns" [];
    ResetColumns: Columns "Reset columns" [];
    SaveRowsAsCsv: Columns "Export table as CSV" [] or "download save";
    SaveRowsAsJson: Columns "Export table as JSON" [] or "download save";
    // Metadata.
    ShowTraceInfo: Metadata "Show trace info" [];
    ShowSchemas: Metadata "Show schemas" [] or "types manifest fields";
    FindSchema: Metadata "Find schema" [];
    ShowTheseEvents: Metadata "Show events with this schema" [];
    ReadFieldValues: Metadata "Read field values" [];
    CompareVersions: Metadata "Compare with previous version" [];
    CompareSchemas: Metadata "Compare schemas with another trace" [];
    EndSchemaComparison: Metadata "Stop comparing schemas" [];
    SaveSchemasJson: Metadata "Export schemas as JSON" [] or "save download";
    SaveSchemasCSharp: Metadata "Export schemas as C# EventSource classes" [] or "save download";
    ShowSizes: Metadata "Show size breakdown" [] or "cost bytes treemap large";
    ShowBlocks: Metadata "Show blocks" [];
    ShowHex: Metadata "Show hex view" [] or "binary bytes raw";
    // Bytes.
    PreviousByte motion: Bytes "Previous byte" [named("ArrowLeft")];
    NextByte motion: Bytes "Next byte" [named("ArrowRight")];
    FirstByte motion: Bytes "File start" [control_named("Home")];
    LastByte motion: Bytes "File end" [control_named("End")];
    ExtendBack motion: Bytes "Extend selection left" [shift_named("ArrowLeft")];
    ExtendByte motion: Bytes "Extend selection right" [shift_named("ArrowRight")];
    PreviousPart: Bytes "Previous structure element" [sign(",")];
    NextPart: Bytes "Next structure element" [sign(".")];
    PreviousItem: Bytes "Previous event or item in block" [sign("[")];
    NextItem: Bytes "Next event or item in block" [sign("]")];
    PreviousBlock: Bytes "Previous block" [place("KeyP")];
    NextBlock: Bytes "Next block" [place("KeyN")];
    GoToOffset: Bytes "Go to offset" [place("KeyG")] or "jump address seek";
    ShowEvent: Bytes "Show event at this byte" [place("KeyE")];
    EventsOfBlock: Bytes "Show events in this time range" [];
}

/// Commands with shortcuts. They are separate because the start page needs only these.
pub static KEYS: [Binding; count(true)] = part(true);
/// Commands without shortcuts.
pub static NAMES: [Binding; count(false)] = part(false);

const fn count(with_keys: bool) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < TABLE.len() {
        if TABLE[at].chords.is_empty() != with_keys {
            count += 1;
        }
        at += 1;
    }
    count
}

const fn part<const N: usize>(with_keys: bool) -> [Binding; N] {
    let mut part = [TABLE[0]; N];
    let (mut count, mut at) = (0, 0);
    while at < TABLE.len() {
        if TABLE[at].chords.is_empty() != with_keys {
            part[count] = TABLE[at];
            count += 1;
        }
        at += 1;
    }
    part
}

/// Returns other words for a command in a part of the page; may be empty.
pub fn synonyms(scope: Scope, command: Command) -> &'static str {
    if let Command::ShowTopic(topic) = command {
        return topic.summary();
    }
    let found = SYNONYMS.iter().find(|(of, known, _)| (*of, *known) == (scope, command));
    found.map_or("", |(.., words)| words)
}
