//! Schemas of what commands print with `--json`.

mod events;
mod file;
mod reports;
mod shape;

use shape::Shape;

/// Schema of the output of a command.
pub struct JsonSchema {
    /// Name of the file.
    pub name: &'static str,
    /// Command that prints it.
    pub command: &'static str,
    shape: Shape,
}

impl JsonSchema {
    /// Returns the schema as JSON (<https://json-schema.org>, 2020-12).
    pub fn text(&self) -> String {
        self.shape.schema(&format!("Output of traceglass {}", self.command))
    }
}

/// Returns the schemas of all commands that print JSON.
pub fn json_schemas() -> Vec<JsonSchema> {
    let of = |name, command, shape| JsonSchema { name, command, shape };
    vec![
        of("summary", "summary FILE --json", reports::SUMMARY),
        of("report", "ANALYSIS FILE --json, such as traceglass gc", reports::REPORT),
        of("compare", "compare OLD NEW --json", reports::COMPARE),
        of("info", "info FILE --json", file::INFO),
        of("check", "check FILE --json", file::CHECK),
        of("blocks", "blocks FILE --json", file::BLOCKS),
        of("dump", "dump FILE --json", file::DUMP),
        of("schema", "schema FILE --json", events::SCHEMAS),
        of("schema-changes", "schema OLD NEW --json", events::SCHEMA_CHANGES),
        of("events", "events FILE --json, one line", events::EVENT),
        of("event-groups", "events FILE --by KEY --json, one line", events::GROUP),
    ]
}
