//! Tests event sources that are generated from schemas of all shapes.

use super::*;
use crate::session::{FileFacts, Loader};
use nettrace::testing::{Format, TraceBuilder};
use nettrace::{Field, FieldType, MetadataRecord};

fn session(format: Format, records: &[MetadataRecord]) -> Session {
    let mut trace = TraceBuilder::new(format);
    trace.metadata(records);
    let bytes = trace.finish();
    let mut loader = Loader::new();
    loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
    while loader.advance(1 << 20).expect("a trace") == crate::session::Progress::Paused {}
    let facts = FileFacts { name: "shop.nettrace".to_owned(), ..FileFacts::default() };
    Session::new(loader.finish().expect("a trace"), Box::new(bytes), facts).expect("a session")
}

fn record(id: u32, provider: &str, event_id: u32, name: &str, fields: Vec<Field>) -> MetadataRecord {
    MetadataRecord {
        metadata_id: id,
        provider: provider.to_owned(),
        event_id,
        name: name.to_owned(),
        level: 4,
        fields,
        ..MetadataRecord::default()
    }
}

fn field(name: &str, field_type: FieldType) -> Field {
    Field::new(name, field_type)
}

#[test]
fn provider_becomes_class_with_event_methods() {
    let order = vec![field("customer", FieldType::Utf16String), field("class", FieldType::Int32)];
    let start =
        MetadataRecord { keywords: 0xf000_0000_0005, version: 2, ..record(1, "Shop-Orders", 7, "OrderStart", order) };
    let old = record(2, "Shop-Orders", 7, "OrderStart", Vec::new());
    let none = record(3, "Shop-Orders", 8, "Write", Vec::new());
    let session = session(Format::Nettrace4, &[start, old, none]);
    let expected = r#"// Event sources that write events like those in shop.nettrace.
// Generated from the schemas in the trace, as a starting point: call the methods with your own arguments.
#nullable disable

using System;
using System.Diagnostics.Tracing;

// OrderStart 7 also exists as version 0; this is version 2.
[EventSource(Name = "Shop-Orders")]
public sealed class Shop_Orders : EventSource
{
    public static readonly Shop_Orders Log = new Shop_Orders();

    private Shop_Orders() : base(EventSourceSettings.EtwManifestEventFormat)
    {
    }

    public static class Keywords
    {
        public const EventKeywords Keyword0x1 = (EventKeywords)0x1;
        public const EventKeywords Keyword0x4 = (EventKeywords)0x4;
    }

    [Event(7, Level = EventLevel.Informational, Version = 2, Keywords = Keywords.Keyword0x1 | Keywords.Keyword0x4)]
    public void OrderStart(string customer, int @class)
    {
        WriteEvent(7, new object[] { customer, @class });
    }

    // Name in the trace: Write.
    [Event(8, Level = EventLevel.Informational)]
    public void Write_2()
    {
        WriteEvent(8);
    }
}
"#;
    assert_eq!(event_sources(&session, |_| true), expected);
}

#[test]
fn structures_become_classes_and_odd_names_identifiers() {
    let item = FieldType::Object(vec![field("Id", FieldType::Int32), field("Odd name", FieldType::Guid)]);
    let fields = vec![
        field("items", FieldType::Array(Box::new(item.clone()))),
        field("items", FieldType::Array(Box::new(FieldType::UInt8))),
        field("", FieldType::Char16),
    ];
    let nested = record(1, "1 \"odd\"\nname", 1, "Nested", fields);
    let described = vec![field("", FieldType::Object(vec![field("Payload", item)]))];
    let described = record(2, "1 \"odd\"\nname", 9, "Count\\ers", described);
    let session = session(Format::Nettrace4, &[nested, described]);
    let source = event_sources(&session, |_| true);
    for part in [
        "[EventSource(Name = \"1 \\\"odd\\\"\\nname\")]\npublic sealed class _1__odd__name : EventSource\n",
        "base(EventSourceSettings.EtwSelfDescribingEventFormat)",
        "    public void Nested(Nested_items[] items, byte[] items_2, char @value)\n",
        "        WriteEvent(1, new object[] { items, items_2, @value });\n",
        "    [EventData]\n    public sealed class Nested_items\n    {\n        public int Id { get; set; }\n        public Guid Odd_name { get; set; }\n    }\n",
        "    // Name in the trace: Count\\ers.\n    [NonEvent]\n    public void Count_ers(Count_ersData data)\n",
        "        Write(\"Count\\\\ers\", new EventSourceOptions { Level = EventLevel.Informational, Opcode = EventOpcode.Info }, data);\n",
        "        public Count_ersData_Payload Payload { get; set; }\n",
    ] {
        assert!(source.contains(part), "{part}\nis not in\n{source}");
    }
    let balance = |open: char, close: char| source.matches(open).count() == source.matches(close).count();
    assert!(balance('{', '}') && balance('(', ')') && balance('[', ']'), "{source}");
}

#[test]
fn opcodes_messages_and_guids_are_kept_without_runtime_events() {
    let message = Some("Order {number} of {customer}".to_owned());
    let fields = vec![field("customer", FieldType::Utf16String), field("number", FieldType::VarUInt)];
    let placed = MetadataRecord {
        opcode: Some(11),
        message_template: message,
        description: Some("One order.\nOnly one.".to_owned()),
        provider_guid: Some(nettrace::Guid([7; 16])),
        ..record(1, "Shop", 3, "Placed", fields)
    };
    let runtime = record(2, "Microsoft-Windows-DotNETRuntime", 1, "", Vec::new());
    let session = session(Format::Nettrace6, &[placed, runtime]);
    let source = event_sources(&session, |_| true);
    for part in [
        "// Excluded: Microsoft-Windows-DotNETRuntime, which C# event sources can't write.\n",
        "[EventSource(Name = \"Shop\", Guid = \"07070707-0707-0707-0707-070707070707\")]\n",
        "        public const EventTask Placed = (EventTask)1;\n",
        "        public const EventOpcode Opcode11 = (EventOpcode)11;\n",
        "    // One order. Only one.\n",
        "Task = Tasks.Placed, Opcode = Opcodes.Opcode11, Message = \"Order {1} of {0}\")]\n",
        "    public void Placed(string customer, ulong number)\n",
    ] {
        assert!(source.contains(part), "{part}\nis not in\n{source}");
    }
    assert_eq!(source.matches("class ").count(), 3, "{source}");
    assert!(!event_sources(&session, |name| name == "Other").contains("class "));
}
