//! Commands without shortcuts, which are available in menus and the palette. They are in a separate table because the
//! start page needs only shortcuts.

use super::{Binding, Command, Scope};
use protocol::topics::topic::Topic;

/// Commands that open the tabs of analyses.
pub static TABS: [Binding; Topic::ALL.len()] = {
    let mut tabs = [only(Scope::Everywhere, Command::CopyLink, ""); Topic::ALL.len()];
    let mut at = 0;
    while at < tabs.len() {
        let topic = Topic::ALL[at];
        tabs[at] = only(Scope::Everywhere, Command::ShowTopic(topic), topic.opened_by());
        at += 1;
    }
    tabs
};

/// Commands without shortcuts.
pub const NAMES: &[Binding] = &[
    only(Scope::Everywhere, Command::OpenAddress, "Open trace from URL"),
    only(Scope::Everywhere, Command::CloseTrace, "Close trace"),
    only(Scope::Everywhere, Command::CopyLink, "Copy link to this view"),
    only(Scope::Everywhere, Command::SavePage, "Save as HTML (viewer and trace)"),
    only(Scope::Everywhere, Command::SavePart, "Save filtered trace (.nettrace)"),
    only(Scope::Everywhere, Command::GoBack, "Undo"),
    only(Scope::Everywhere, Command::GoForward, "Redo"),
    only(Scope::Everywhere, Command::InvertFilters, "Invert filters"),
    only(Scope::Everywhere, Command::ClearFilters, "Clear all filters"),
    only(Scope::Everywhere, Command::FilterSyntax, "Filter syntax"),
    only(Scope::Timeline, Command::ClockRelative, "Time relative to start"),
    only(Scope::Timeline, Command::ClockUtc, "Time of day (UTC)"),
    only(Scope::Timeline, Command::ClockLocal, "Time of day (local)"),
    only(Scope::Timeline, Command::ShowHiddenTracks, "Show hidden tracks"),
    only(Scope::Timeline, Command::ThreadsByActivity, "Sort threads by activity"),
    only(Scope::Timeline, Command::ThreadsByName, "Sort threads by name"),
    only(Scope::Timeline, Command::ThreadsByNumber, "Sort threads by ID"),
    only(Scope::Timeline, Command::ThreadsByFirstSeen, "Sort threads by first seen"),
    only(Scope::Timeline, Command::ResetTracks, "Reset track layout"),
    only(Scope::Stacks, Command::CopyName, "Copy name"),
    only(Scope::Stacks, Command::ViewFlame, "Flame graph"),
    only(Scope::Stacks, Command::ViewTree, "Call tree"),
    only(Scope::Stacks, Command::ViewBottomUp, "Bottom-up"),
    only(Scope::Stacks, Command::ViewFunctions, "Functions"),
    only(Scope::Stacks, Command::ViewSandwich, "Sandwich"),
    only(Scope::Stacks, Command::ViewOverTime, "Over time"),
    only(Scope::Stacks, Command::FoldOptions, "Group and fold stacks"),
    only(Scope::Stacks, Command::CompareKeep, "Set baseline"),
    only(Scope::Stacks, Command::CompareRest, "Compare with everything else"),
    only(Scope::Stacks, Command::CompareKept, "Compare with a saved range"),
    only(Scope::Stacks, Command::CompareSwap, "Swap comparison"),
    only(Scope::Stacks, Command::CompareStop, "Stop comparing"),
    only(Scope::Stacks, Command::SaveStacks, "Export stacks"),
    only(Scope::Stacks, Command::ResetSteps, "Reset transforms"),
    only(Scope::Events, Command::OnlyEvent, "Filter to this event type"),
    only(Scope::Events, Command::WithoutEvent, "Exclude this event type"),
    only(Scope::Events, Command::OnlyThread, "Filter to this thread"),
    only(Scope::Events, Command::WithoutThread, "Exclude this thread"),
    only(Scope::Events, Command::OnlyProvider, "Filter to this provider"),
    only(Scope::Events, Command::WithoutProvider, "Exclude this provider"),
    only(Scope::Events, Command::OnlyLevel, "Filter to this level and above"),
    only(Scope::Events, Command::OnlyValue, "Filter to this value"),
    only(Scope::Events, Command::WithoutValue, "Exclude this value"),
    only(Scope::Events, Command::OnlyGroup, "Filter to this group"),
    only(Scope::Events, Command::WithoutGroup, "Exclude this group"),
    only(Scope::Events, Command::FromHere, "Start range here"),
    only(Scope::Events, Command::UntilHere, "End range here"),
    only(Scope::Events, Command::CopyCsv, "Copy as CSV"),
    only(Scope::Events, Command::CopyJsonLines, "Copy as JSON lines"),
    only(Scope::Events, Command::SaveEvents, "Export matching events"),
    only(Scope::Topics, Command::CopyText, "Copy table or row"),
    only(Scope::Topics, Command::AllColumns, "Toggle all columns"),
    only(Scope::Topics, Command::SaveTable, "Download table as CSV"),
    only(Scope::Topics, Command::ChartsAsTables, "Show chart data"),
    only(Scope::Topics, Command::CopyCommand, "Copy recording command"),
    only(Scope::Columns, Command::SortAscending, "Sort ascending"),
    only(Scope::Columns, Command::SortDescending, "Sort descending"),
    only(Scope::Columns, Command::ForgetWidth, "Reset width"),
    only(Scope::Columns, Command::ResetColumns, "Reset columns"),
    only(Scope::Metadata, Command::ShowPart(1), "Trace info"),
    only(Scope::Metadata, Command::ShowPart(2), "Show schemas"),
    only(Scope::Metadata, Command::FindSchema, "Find schema"),
    only(Scope::Metadata, Command::ShowTheseEvents, "Show events with this schema"),
    only(Scope::Metadata, Command::ReadFieldValues, "Show field values"),
    only(Scope::Metadata, Command::CompareVersions, "Compare with previous version"),
    only(Scope::Metadata, Command::CompareSchemas, "Compare schemas with another trace"),
    only(Scope::Metadata, Command::EndSchemaComparison, "Stop comparing schemas"),
    only(Scope::Metadata, Command::SaveSchemasJson, "Export schemas as JSON"),
    only(Scope::Metadata, Command::SaveSchemasCSharp, "Export schemas as C# EventSource classes"),
    only(Scope::Metadata, Command::ShowPart(3), "Show size breakdown"),
    only(Scope::Metadata, Command::ShowPart(4), "Show blocks"),
    only(Scope::Metadata, Command::ShowPart(5), "Show hex view"),
    only(Scope::Bytes, Command::ShowBytes, "Show block bytes"),
    only(Scope::Bytes, Command::EventsOfBlock, "Show events in this time range"),
];

const fn only(scope: Scope, command: Command, words: &'static str) -> Binding {
    Binding { command, scope, chords: &[], words }
}
