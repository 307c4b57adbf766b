//! Reports as text for other programs: JSON and CSV.

use super::missing;
use crate::session::db::interrupt::Answered;
use crate::session::db::state::Session;
use protocol::Failure;
use protocol::export::{Json, write_cell, write_line};
use protocol::request::{Filter, RowOrder};
use protocol::tables::ExportedFile;
use protocol::topics::report::{Figure, ReportHead, ReportRows, TableHead};
use protocol::topics::topic::Topic;

/// Number of rows per step.
const PAGE: u32 = 4096;

impl Session {
    /// Returns a table of a report as CSV.
    pub(crate) fn report_file(&mut self, topic: Topic, filter: &Filter, order: &RowOrder) -> Answered<ExportedFile> {
        let head = self.report_head(topic, filter)?;
        let table = head.tables.get(usize::from(order.table)).ok_or_else(|| missing("table"))?;
        let mut text = String::new();
        let keys: Vec<&str> = table.columns.iter().map(|column| column.key.as_str()).collect();
        write_line(&mut text, ',', &keys);
        self.each_row(topic, filter, order, |page, row| {
            let cells = table.columns.iter().enumerate().map(|(at, column)| page.cell(row, at, column.kind).plain());
            write_line(&mut text, ',', &cells.collect::<Vec<_>>());
        })?;
        let name = format!("{}.{}.{}.csv", self.file.name, topic.slug(), table.key);
        Ok(ExportedFile { name: [name].into_iter().collect(), bytes: text.into_bytes() })
    }

    /// Returns a report with all rows of all tables as JSON.
    ///
    /// # Errors
    /// Fails if the filter is invalid, or the file can no longer be read.
    pub fn report_json(&mut self, topic: Topic, filter: &Filter) -> Result<String, Failure> {
        self.complete(|session| session.report_as_json(topic, filter))
    }

    fn report_as_json(&mut self, topic: Topic, filter: &Filter) -> Answered<String> {
        let head = self.report_head(topic, filter)?;
        let mut tables: Vec<String> = Vec::new();
        for (at, table) in (0..).zip(&head.tables) {
            let mut json = Json::default();
            let mut rows: Vec<String> = Vec::new();
            self.each_row(topic, filter, &RowOrder { table: at, ..RowOrder::default() }, |page, row| {
                json.clear();
                json.object(|json| write_row(json, page, table, row));
                rows.push(json.as_str().to_owned());
            })?;
            tables.push(format!("[{}]", rows.join(",")));
        }
        let mut json = Json::default();
        json.object(|json| write_head(json, &head, &tables));
        Ok(json.as_str().to_owned())
    }

    fn each_row(
        &mut self,
        topic: Topic,
        filter: &Filter,
        order: &RowOrder,
        mut visit: impl FnMut(&ReportRows, usize),
    ) -> Answered<()> {
        let mut first = 0;
        loop {
            let page = self.report_rows(topic, filter, order, first, PAGE)?;
            let rows = page.event.len();
            (0..rows).for_each(|row| visit(&page, row));
            first += rows as u64;
            if rows == 0 || first >= page.total.first().copied().unwrap_or(0) {
                return Ok(());
            }
        }
    }
}

fn write_head(json: &mut Json, head: &ReportHead, tables: &[String]) {
    json.key("topic").string(head.topic.slug());
    if let Some(missing) = &head.not_recorded {
        json.key("notRecorded").string(&missing.words);
        json.key("command").string(&missing.command);
        return;
    }
    json.key("verdict").string(&head.verdict);
    json.key("explanation").string(&head.explanation);
    json.key("figures").object(|json| head.figures.iter().for_each(|figure| write_figure(json, figure)));
    if head.figures.iter().any(|figure| figure.is_minimum) {
        json.key("minimums").array(|json| {
            head.figures.iter().filter(|figure| figure.is_minimum).for_each(|figure| json.string(&figure.key));
        });
    }
    for (table, rows) in head.tables.iter().zip(tables) {
        json.key(&table.key).verbatim(rows);
    }
}

fn write_figure(json: &mut Json, figure: &Figure) {
    if figure.value.is_finite() {
        json.key(&figure.key).float(figure.value);
    }
}

/// Writes the non-empty cells of a row.
fn write_row(json: &mut Json, page: &ReportRows, table: &TableHead, row: usize) {
    for (at, column) in table.columns.iter().enumerate() {
        write_cell(json, &column.key, page.cell(row, at, column.kind));
    }
}
