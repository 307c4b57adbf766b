//! Schemas that the file declares.

use super::event_types::{merged_types, provider_guid};
use super::header_detail::opcode_value;
use crate::analysis::values::field_type_text::{outer_wire_type, type_code};
use crate::analysis::values::payload_text::element_type;
use crate::analysis::values::value_text::type_text;
use crate::clr::manifest::keyword_names;
use crate::model::{EventType, SchemaSource, Store};
use nettrace::{Field, FieldType};
use protocol::tables::{NOT_FIXED, Schemas, schema_flag};

/// Returns the schemas of all event types, in the order of [`super::event_types::type_table`].
pub fn schema_table(store: &Store) -> Schemas {
    let mut table = Schemas::default();
    for one in &merged_types(store) {
        let record = &one.record;
        table.metadata_name.push(&record.name);
        table.metadata_id.push(record.metadata_id);
        table.offset.push(record.offset);
        table.flags.push(flags(one));
        table.keywords.push(&keyword_names(&one.provider, record.keywords).join(" | "));
        table.opcode.push(&opcode_value(one.opcode()).value);
        table.task.push(task(one));
        table.guid.push(&provider_guid(one).map_or(String::new(), |guid| guid.value));
        table.template.push(record.message_template.as_deref().unwrap_or_default());
        table.description.push(record.description.as_deref().unwrap_or_default());
        table.fit.push(&one.fit_words());
        let codes = if one.schema.source == SchemaSource::File { Some(store.header.version) } else { None };
        let mut writer = FieldWriter { table: &mut table, codes, pointer_size: store.header.pointer_size };
        writer.fields(&one.schema.fields, 0, Some(0));
        table.fields_end.push(table.field_depth.len() as u32);
    }
    table
}

fn flags(one: &EventType) -> u8 {
    let record = &one.record;
    let is_overridden = !record.fields.is_empty() && record.fields != one.schema.fields;
    [
        (schema_flag::OPCODE, record.opcode.is_some()),
        (schema_flag::NO_LEVEL, record.unrecorded.level),
        (schema_flag::NO_KEYWORDS, record.unrecorded.keywords),
        (schema_flag::NO_VERSION, record.unrecorded.version),
        (schema_flag::SECOND_LIST, record.has_second_list),
        (schema_flag::INCOMPLETE, record.partial.is_some()),
        (schema_flag::OVERRIDDEN, is_overridden),
    ]
    .into_iter()
    .filter(|(_, holds)| *holds)
    .fold(0, |flags, (flag, _)| flags | flag)
}

/// Returns the task of an event. Files don't have tasks, but names contain them for start and stop events: "GC/Start"
/// in the runtime's manifest, "RequestStart" in event sources.
pub fn task(one: &EventType) -> &str {
    if one.record.name.is_empty() {
        return one.display_name.split_once('/').map_or("", |(task, _)| task);
    }
    let ending = match one.record.opcode {
        Some(1) => "Start",
        Some(2) => "Stop",
        _ => return "",
    };
    one.record.name.strip_suffix(ending).unwrap_or_default()
}

struct FieldWriter<'t> {
    table: &'t mut Schemas,
    /// The format version that determines the type codes, if a file declares them.
    codes: Option<u32>,
    pointer_size: u8,
}

impl FieldWriter<'_> {
    /// Appends fields that begin at an offset, if it is the same in all payloads.
    fn fields(&mut self, fields: &[Field], depth: u32, mut at: Option<usize>) {
        for field in fields {
            let bytes = field.field_type.fixed_bytes(self.pointer_size);
            let fixed =
                |number: Option<usize>| number.and_then(|number| u32::try_from(number).ok()).unwrap_or(NOT_FIXED);
            let table = &mut *self.table;
            table.field_depth.push(depth);
            table.field_name.push(&field.name);
            table.field_type.push(&type_text(&field.field_type));
            table.field_wire.push(&outer_wire_type(&field.field_type));
            table.field_code.push(self.codes.map_or(0, |version| type_code(&field.field_type, version)));
            table.field_offset.push(fixed(at));
            table.field_bytes.push(fixed(bytes));
            self.inside(&field.field_type, depth + 1, at);
            at = at.zip(bytes).map(|(at, bytes)| at.saturating_add(bytes));
        }
    }

    /// Appends the fields of a structure, or of the structures in an array.
    fn inside(&mut self, field_type: &FieldType, depth: u32, at: Option<usize>) {
        match field_type {
            FieldType::Object(fields) => self.fields(fields, depth, at),
            other if !std::ptr::eq(other, element_type(other)) => self.inside(element_type(other), depth, None),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::file::event_types::type_table;
    use crate::analysis::testing::{ORDERS, What, store_of};

    #[test]
    fn fields_have_types_and_fixed_offsets() {
        let mut table = Schemas::default();
        let pair = FieldType::Object(vec![Field::new("a", FieldType::Int16), Field::new("b", FieldType::Int64)]);
        let fields = [
            Field::new("id", FieldType::Int32),
            Field::new("pair", pair.clone()),
            Field::new("name", FieldType::Utf16String),
            Field::new("pairs", FieldType::Array(Box::new(pair))),
        ];
        FieldWriter { table: &mut table, codes: Some(4), pointer_size: 8 }.fields(&fields, 0, Some(0));
        let none = NOT_FIXED;
        assert_eq!(table.field_depth, [0, 0, 1, 1, 0, 0, 1, 1]);
        assert_eq!(table.field_offset, [0, 4, 4, 6, 14, none, none, none]);
        assert_eq!(table.field_bytes, [4, 10, 2, 8, none, none, 2, 8]);
        assert_eq!(table.field_code, [9, 1, 7, 11, 18, 19, 7, 11]);
        assert_eq!(table.field_wire.get(5), "Array<Object>");
        assert_eq!(table.field_type.get(5), "struct[]");
    }

    #[test]
    fn schema_rows_match_type_table() {
        let (store, _) = store_of(&[(0, 5, What::Order("x", 1)), (1, 5, What::GcStart(1))]);
        let (types, schemas) = (type_table(&store), schema_table(&store));
        assert_eq!(types.event_type.len(), schemas.fields_end.len());
        let row = |provider: &str, id: u32| {
            (0..types.event_type.len())
                .find(|row| types.provider.get(*row) == provider && types.event_id[*row] == id)
                .expect("a type")
        };
        let orders = row(ORDERS, 7);
        let names: Vec<_> = schemas.fields_of(orders).map(|field| schemas.field_name.get(field)).collect();
        assert_eq!((schemas.metadata_name.get(orders), names), ("OrderPlaced", vec!["sku", "amount"]));
        let start = row("Microsoft-Windows-DotNETRuntime", 1);
        assert_eq!((schemas.task.get(start), schemas.opcode.get(start)), ("GC", "Start"));
        assert_eq!(schemas.field_code[schemas.fields_of(start).start], 0, "no file declares it");
    }
}
