//! Event types: schemas, field values, and exports.

use crate::analysis::events::field_values::FieldValueSearch;
use crate::analysis::file::event_types::type_table;
use crate::analysis::file::schema_table::schema_table;
use crate::analysis::scan::payload_batches::Step;
use crate::session::db::state::Session;
use crate::session::export::{event_sources, schema_json};
use crate::session::open::failures::unreadable_source;
use protocol::Failure;
use protocol::base::ids::TypeId;
use protocol::columns::Strings;
use protocol::file::schema_diff::SchemaSet;
use protocol::file::schema_tables::SchemaFormat;
use protocol::request::Filter;
use protocol::tables::{ExportedFile, FieldValues};
use std::rc::Rc;

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

    /// Returns the values of the fields of an event type.
    ///
    /// # Errors
    /// Fails if the filter is invalid, or the file can no longer be read.
    pub fn field_values(&mut self, filter: &Filter, event_type: TypeId) -> Result<Rc<FieldValues>, Failure> {
        loop {
            if let Some(known) = self.field_values.get(&(filter.clone(), event_type)) {
                return Ok(known);
            }
            self.advance_field_values(filter, event_type, false)?;
        }
    }

    /// Advances the computation of field values; [`Step::Done`] if they are complete.
    pub(crate) fn advance_field_values(
        &mut self,
        filter: &Filter,
        event_type: TypeId,
        may_wait: bool,
    ) -> Result<Step, Failure> {
        let key = (filter.clone(), event_type);
        if self.field_values.get(&key).is_some() {
            return Ok(Step::Done);
        }
        // A search that wasn't continued is dropped.
        let begun = self.field_value_search.take().filter(|(of, _)| *of == key);
        let mut search = match begun {
            Some((_, search)) => search,
            None => {
                let selection = self.selection(filter)?;
                Box::new(FieldValueSearch::new(&self.store, selection, event_type))
            }
        };
        let step = search.step(&self.store, &self.source.bypass_cache(), may_wait);
        let step = step.map_err(|error| unreadable_source(&error))?;
        if step == Step::Done {
            self.field_values.insert(key, search.finish());
            return Ok(Step::More);
        }
        self.field_value_search = Some((key, search));
        Ok(step)
    }

    /// Returns the heap size of the search for values in bytes.
    pub(crate) fn field_value_bytes(&self) -> usize {
        self.field_value_search.as_ref().map_or(0, |(_, search)| search.bytes())
    }
}
