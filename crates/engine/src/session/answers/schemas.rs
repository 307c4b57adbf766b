//! Event types: schemas, field values, and exports.

use super::{Run, missing};
use crate::analysis::events::field_values::FieldValueSearch;
use crate::analysis::file::event_types::{type_detail, type_table};
use crate::analysis::file::schema_table::schema_table;
use crate::analysis::scan::payload_batches::Step;
use crate::session::db::interrupt::Answered;
use crate::session::db::state::Session;
use crate::session::export::{event_sources, schema_json};
use protocol::base::ids::TypeId;
use protocol::columns::Strings;
use protocol::file::schema_diff::SchemaSet;
use protocol::file::schema_tables::SchemaFormat;
use protocol::queries::{FieldValues, SchemaFile, Schemas, TypeDetail, Types};
use protocol::request::Filter;
use protocol::tables::ExportedFile;
use protocol::{reply, tables};

/// Filter and event type.
pub(crate) type FieldValueKey = (Filter, TypeId);

impl Session {
    /// Returns all event types, with totals and schemas.
    pub fn schemas(&self) -> SchemaSet {
        SchemaSet { types: type_table(&self.store), schemas: schema_table(&self.store) }
    }

    /// Returns the schemas of a provider as a file; of all if it is empty.
    pub fn schema_file(&self, format: SchemaFormat, provider: &str) -> ExportedFile {
        let is_wanted = |name: &str| provider.is_empty() || name == provider;
        let (text, ending) = match format {
            SchemaFormat::Json => (schema_json(self, is_wanted), "schemas.json"),
            SchemaFormat::CSharp => (event_sources(self, is_wanted), "EventSources.cs"),
        };
        let name: Strings = [format!("{}.{ending}", self.file.name)].into_iter().collect();
        ExportedFile { name, bytes: text.into_bytes() }
    }
}

impl Run for Types {
    fn run(&self, session: &mut Session) -> Answered<tables::Types> {
        Ok(type_table(&session.store))
    }
}

impl Run for Schemas {
    fn run(&self, session: &mut Session) -> Answered<tables::Schemas> {
        Ok(schema_table(&session.store))
    }
}

impl Run for TypeDetail {
    fn run(&self, session: &mut Session) -> Answered<reply::TypeDetail> {
        Ok(type_detail(&session.store, self.event_type).ok_or_else(|| missing("event type"))?)
    }
}

impl Run for SchemaFile {
    fn run(&self, session: &mut Session) -> Answered<ExportedFile> {
        Ok(session.schema_file(self.format, &self.provider))
    }
}

impl Run for FieldValues {
    fn run(&self, session: &mut Session) -> Answered<tables::FieldValues> {
        let key = (self.filter.clone(), self.event_type);
        if let Some(known) = session.field_values.get(&key) {
            return Ok((*known).clone());
        }
        let mut search = match session.field_values.resume(&key) {
            Some(search) => search,
            None => {
                let selection = session.selection(&self.filter)?;
                Box::new(FieldValueSearch::new(&session.store, selection, self.event_type))
            }
        };
        Err(match search.step(&session.store, &session.source.bypass_cache(), session.may_wait)? {
            Step::Done => session.field_values.finish(key, search.finish()),
            step => session.field_values.pause(key, search, step),
        })
    }
}
