//! Packed columns: tables as one buffer of 8-byte aligned little-endian columns.
//!
//! A table is declared once with [`packed_table!`](crate::packed_table), as a struct of `Vec`s. Strings are stored as a
//! column of offsets and a UTF-8 column.

use serde::{Deserialize, Serialize};

/// Position of a column in the body.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ColumnMeta {
    /// Field name in the table's declaration.
    pub name: String,
    /// Offset in the body, a multiple of 8.
    pub offset_bytes: u32,
    /// Length in bytes.
    pub length_bytes: u32,
}

/// Packed table: a directory of columns, and their bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Packed {
    /// Columns, in the order of declaration.
    pub directory: Vec<ColumnMeta>,
    /// Bytes of all columns.
    #[serde(with = "crate::bytes")]
    pub body: Vec<u8>,
}

/// Error for a packed table whose writer and reader declare different columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnError {
    /// Missing or malformed column.
    pub column: String,
}

impl std::fmt::Display for ColumnError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "column “{}” is missing or malformed", self.column)
    }
}

impl std::error::Error for ColumnError {}

impl Packed {
    /// Appends a column.
    pub fn push(&mut self, name: &str, bytes: &[u8]) {
        self.body.resize(self.body.len().next_multiple_of(8), 0);
        self.directory.push(ColumnMeta {
            name: name.to_owned(),
            offset_bytes: self.body.len() as u32,
            length_bytes: bytes.len() as u32,
        });
        self.body.extend_from_slice(bytes);
    }

    /// Returns the bytes of a column.
    pub fn column(&self, name: &str) -> Result<&[u8], ColumnError> {
        let malformed = || ColumnError { column: name.to_owned() };
        let meta = self.directory.iter().find(|meta| meta.name == name).ok_or_else(malformed)?;
        let start = meta.offset_bytes as usize;
        self.body.get(start..start + meta.length_bytes as usize).ok_or_else(malformed)
    }
}

/// List of strings, stored contiguously.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Strings {
    ends: Vec<u32>,
    utf8: String,
}

impl Strings {
    /// Appends a string and returns its index.
    pub fn push(&mut self, text: &str) -> u32 {
        self.utf8.push_str(text);
        self.ends.push(self.utf8.len() as u32);
        (self.ends.len() - 1) as u32
    }

    /// Returns the string at an index; "" past the end.
    pub fn get(&self, index: usize) -> &str {
        let Some(&end) = self.ends.get(index) else { return "" };
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.utf8.get(start as usize..end as usize).unwrap_or("")
    }

    /// Returns the number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns all strings, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl<S: AsRef<str>> FromIterator<S> for Strings {
    fn from_iter<I: IntoIterator<Item = S>>(iter: I) -> Self {
        let mut strings = Self::default();
        for text in iter {
            strings.push(text.as_ref());
        }
        strings
    }
}

/// Column of a packed table.
pub trait Column: Sized {
    /// Appends the column to `packed` under a name.
    fn pack(&self, name: &str, packed: &mut Packed);
    /// Reads the column of this name.
    fn unpack(name: &str, packed: &Packed) -> Result<Self, ColumnError>;
    /// Returns the number of rows.
    fn rows(&self) -> usize;
}

impl<T: bytemuck::Pod> Column for Vec<T> {
    fn pack(&self, name: &str, packed: &mut Packed) {
        packed.push(name, bytemuck::cast_slice(self));
    }

    fn unpack(name: &str, packed: &Packed) -> Result<Self, ColumnError> {
        let bytes = packed.column(name)?;
        let size = std::mem::size_of::<T>();
        if bytes.len() % size != 0 {
            return Err(ColumnError { column: name.to_owned() });
        }
        let mut values = vec![T::zeroed(); bytes.len() / size];
        bytemuck::cast_slice_mut::<T, u8>(&mut values).copy_from_slice(bytes);
        Ok(values)
    }

    fn rows(&self) -> usize {
        self.len()
    }
}

impl Column for Strings {
    fn pack(&self, name: &str, packed: &mut Packed) {
        packed.push(name, bytemuck::cast_slice(&self.ends));
        packed.push(&format!("{name}.utf8"), self.utf8.as_bytes());
    }

    fn unpack(name: &str, packed: &Packed) -> Result<Self, ColumnError> {
        let ends = Vec::<u32>::unpack(name, packed)?;
        let bytes = packed.column(&format!("{name}.utf8"))?;
        let utf8 = String::from_utf8(bytes.to_vec()).map_err(|_| ColumnError { column: name.to_owned() })?;
        Ok(Self { ends, utf8 })
    }

    fn rows(&self) -> usize {
        self.len()
    }
}

/// Declares a table of columns, with `pack` and `unpack`.
#[macro_export]
macro_rules! packed_table {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident : $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug, Default)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type),* }

        impl $name {
            /// Packs the table into one buffer.
            pub fn pack(&self) -> $crate::columns::Packed {
                let mut packed = $crate::columns::Packed::default();
                self.append_to(&mut packed);
                packed
            }

            /// Packs the table into a buffer with other columns.
            pub fn append_to(&self, packed: &mut $crate::columns::Packed) {
                $($crate::columns::Column::pack(&self.$field, stringify!($field), packed);)*
            }

            /// Unpacks the table from its buffer.
            pub fn unpack(packed: &$crate::columns::Packed) -> Result<Self, $crate::columns::ColumnError> {
                Ok(Self { $($field: $crate::columns::Column::unpack(stringify!($field), packed)?),* })
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    packed_table!(
        /// Table with one column of each type.
        Sample { time: Vec<i64>, kind: Vec<u8>, weight: Vec<f64>, name: Strings }
    );

    #[test]
    fn table_round_trips() {
        let table = Sample {
            time: vec![-1, 0, i64::MAX],
            kind: vec![1, 2, 3],
            weight: vec![0.5, -0.0, 1e300],
            name: ["", "Ünïcode", "third"].into_iter().collect(),
        };
        let packed = table.pack();
        assert!(packed.directory.iter().all(|meta| meta.offset_bytes % 8 == 0));
        assert_eq!(Sample::unpack(&packed), Ok(table));
    }

    #[test]
    fn missing_column_is_named() {
        let error = Sample::unpack(&Packed::default()).unwrap_err();
        assert_eq!(error.column, "time");
    }
}
