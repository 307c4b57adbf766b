//! `traceglass schema FILE OTHER`: lists the differences between the event types of two traces.

use super::Stop;
use super::text::{Output, line};
use protocol::export::Json;
use protocol::file::schema_diff::{Change, FactPair, KindPair, SchemaSet};

pub(super) fn print(before: &SchemaSet, after: &SchemaSet, json: bool, output: &mut Output<'_>) -> Result<(), Stop> {
    let pairs = before.kind_pairs(after);
    if json {
        return print_json(before, after, &pairs, output);
    }
    for pair in pairs.iter().filter(|pair| pair.change != Change::Same) {
        line!(output, "{} {}", sign(pair.change), name(before, after, pair))?;
        if let (Some(one), Some(two)) = (pair.before, pair.after) {
            print_change(before, after, one, two, output)?;
        }
    }
    let count = |change: Change| pairs.iter().filter(|pair| pair.change == change).count();
    let counts = [Change::Added, Change::Removed, Change::Changed, Change::Same];
    let counts: Vec<String> = counts.iter().map(|change| format!("{} {}", count(*change), change.word())).collect();
    Ok(line!(output, "{}", counts.join(", "))?)
}

fn sign(change: Change) -> char {
    match change {
        Change::Same => ' ',
        Change::Changed => '~',
        Change::Removed => '-',
        Change::Added => '+',
    }
}

/// Returns the name of an event type: "Shop/Order, ID 7, version 1".
fn name(before: &SchemaSet, after: &SchemaSet, pair: &KindPair) -> String {
    let of = |set: &SchemaSet, row: usize| {
        let types = &set.types;
        let number = |column: &[u32]| column.get(row).copied().unwrap_or(0);
        let name = format!("{}/{}", types.provider.get(row), types.name.get(row));
        format!("{name}, ID {}, version {}", number(&types.event_id), number(&types.version))
    };
    match (pair.before, pair.after) {
        (_, Some(row)) => of(after, row),
        (Some(row), None) => of(before, row),
        (None, None) => String::new(),
    }
}

fn print_change(
    before: &SchemaSet,
    after: &SchemaSet,
    one: usize,
    two: usize,
    output: &mut Output<'_>,
) -> Result<(), Stop> {
    for fact in before.fact_pairs(one, after, two).iter().filter(|fact| fact.differs()) {
        line!(output, "    {}: “{}” → “{}”", fact.name, fact.before, fact.after)?;
    }
    for field in before.field_pairs(one, after, two).iter().filter(|field| field.change != Change::Same) {
        let texts = [field.before.map(|at| before.field_text(at)), field.after.map(|at| after.field_text(at))];
        let texts: Vec<String> = texts.into_iter().flatten().collect();
        line!(output, "    {} {}", sign(field.change), texts.join(" → "))?;
    }
    Ok(())
}

fn print_json(before: &SchemaSet, after: &SchemaSet, pairs: &[KindPair], output: &mut Output<'_>) -> Result<(), Stop> {
    Ok(output.json(|json| {
        json.key("kinds").array(|json| {
            for pair in pairs.iter().filter(|pair| pair.change != Change::Same) {
                json.object(|json| kind(json, before, after, pair));
            }
        });
        json.key("same").integer(pairs.iter().filter(|pair| pair.change == Change::Same).count() as u64);
    })?)
}

fn kind(json: &mut Json, before: &SchemaSet, after: &SchemaSet, pair: &KindPair) {
    let side = pair.after.map(|row| (after, row)).or_else(|| Some((before, pair.before?)));
    let Some((set, row)) = side else { return };
    json.key("change").string(pair.change.word());
    json.key("provider").string(set.types.provider.get(row));
    json.key("name").string(set.types.name.get(row));
    json.key("eventId").integer(set.types.event_id.get(row).copied().unwrap_or(0));
    json.key("version").integer(set.types.version.get(row).copied().unwrap_or(0));
    let (Some(one), Some(two)) = (pair.before, pair.after) else { return };
    json.key("facts").array(|json| {
        for FactPair { name, before, after } in before.fact_pairs(one, after, two).iter().filter(|fact| fact.differs())
        {
            json.object(|json| {
                json.key("name").string(name);
                json.key("before").string(before);
                json.key("after").string(after);
            });
        }
    });
    json.key("fields").array(|json| {
        for field in before.field_pairs(one, after, two).iter().filter(|field| field.change != Change::Same) {
            json.object(|json| {
                json.key("change").string(field.change.word());
                for (key, text) in [
                    ("before", field.before.map(|at| before.field_text(at))),
                    ("after", field.after.map(|at| after.field_text(at))),
                ] {
                    if let Some(text) = text {
                        json.key(key).string(&text);
                    }
                }
            });
        }
    });
}
