//! Tables as text for other programs: JSON, and separated values.

mod cells;
mod json;
mod separated;

pub use cells::{write_cell, write_cells, write_records};
pub use json::Json;
pub use separated::write_line;

use crate::table::Column;

/// Format of a saved table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFormat {
    Csv,
    Json,
}

impl TableFormat {
    pub fn file_name(self, trace: &str, table: &str) -> String {
        let (name, _) = trace.rsplit_once('.').unwrap_or((trace, ""));
        format!("{name}.{table}.{}", if self == Self::Csv { "csv" } else { "json" })
    }

    /// Returns the text of a table with these columns. Rows are pairs of a table and a position in it.
    pub fn text<'t, T: 't, M: 't>(
        self,
        columns: &[&Column<T, M>],
        rows: impl IntoIterator<Item = (&'t T, usize)>,
    ) -> String {
        match self {
            Self::Csv => {
                let mut text = String::new();
                write_line(&mut text, ',', &columns.iter().map(|column| column.key).collect::<Vec<_>>());
                for (table, row) in rows {
                    let cells = columns.iter().map(|column| (column.cell)(table, row).plain());
                    write_line(&mut text, ',', &cells.collect::<Vec<_>>());
                }
                text
            }
            Self::Json => {
                let mut json = Json::default();
                json.array(|json| {
                    for (table, row) in rows {
                        json.object(|json| write_cells(json, columns.iter().copied(), table, row));
                    }
                });
                json.line();
                json.as_str().to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Unit;

    #[test]
    fn tables_are_written_with_the_chosen_columns() {
        type Pair = (&'static str, Option<u64>);
        let columns: [Column<Pair>; 2] = [
            Column::text("name", "Name", |pair, _| pair.0.into()),
            Column::number("count", "Events", Unit::Count, |pair: &Pair, _| pair.1.into()).json("events"),
        ];
        let rows = [("a,b", Some(7)), ("c", None)];
        let text =
            |format: TableFormat, columns: &[&Column<Pair>]| format.text(columns, rows.iter().map(|row| (row, 0)));
        let all: Vec<&Column<Pair>> = columns.iter().collect();
        assert_eq!(text(TableFormat::Csv, &all), "name,count\n\"a,b\",7\nc,\n");
        assert_eq!(text(TableFormat::Json, &all), "[{\"name\":\"a,b\",\"events\":7},{\"name\":\"c\"}]\n");
        assert_eq!(text(TableFormat::Csv, &all[1..]), "count\n7\n\n");
        assert_eq!(TableFormat::Csv.file_name("orders.nettrace", "groups"), "orders.groups.csv");
    }
}
