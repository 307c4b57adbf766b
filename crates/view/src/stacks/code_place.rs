//! Display names of locations in a function.

use crate::format;
use protocol::tables::CodePlaces;

/// Returns a source line without its folders: `/src/Shop/Orders.cs:12` is `Orders.cs:12`.
pub fn file_and_line(source: &str) -> &str {
    source.rsplit(['/', '\\']).next().unwrap_or(source)
}

/// Returns the display name of a location: its line, IL offset or address.
pub fn place_name(places: &CodePlaces, row: usize) -> String {
    match (places.source.get(row), places.il_offset.get(row).copied(), places.address.get(row)) {
        ("", Some(offset @ 0..), _) => format!("IL offset {offset:#x}"),
        ("", _, Some(address)) => format!("{address:#x}"),
        (line, ..) => file_and_line(line).to_owned(),
    }
}

/// Describes the heaviest location of a function, with its share if there are several.
pub fn heaviest_place(places: &CodePlaces) -> Option<String> {
    let heaviest = *places.inclusive.first()?;
    let name = place_name(places, 0);
    if places.inclusive.len() == 1 {
        return Some(name);
    }
    let total: f64 = places.inclusive.iter().sum();
    let others = format::count(places.inclusive.len() as u64);
    Some(format!("{name} · {} of {others} locations", format::percent(heaviest, total)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_name_is_as_exact_as_trace() {
        let places = CodePlaces {
            source: ["/src/Shop/Orders.cs:12", "", ""].into_iter().collect(),
            il_offset: vec![4, 28, -1],
            address: vec![0x1000, 0x1010, 0x1020],
            inclusive: vec![6.0, 3.0, 1.0],
            ..CodePlaces::default()
        };
        let names: Vec<String> = (0..3).map(|row| place_name(&places, row)).collect();
        assert_eq!(names, ["Orders.cs:12", "IL offset 0x1c", "0x1020"]);
        assert_eq!(
            heaviest_place(&places).as_deref(),
            Some(format!("Orders.cs:12 · {} of 3 locations", format::percent(6.0, 10.0)).as_str())
        );
        assert_eq!(heaviest_place(&CodePlaces::default()), None);
        assert_eq!(file_and_line(r"C:\src\Cart.cs:7"), "Cart.cs:7");
    }
}
