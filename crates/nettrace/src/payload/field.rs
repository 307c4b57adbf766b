//! Types of payload fields.

/// Field of a payload: its name and type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// Name; empty for the single field around a self-describing payload.
    pub name: String,
    /// Type, which determines the layout.
    pub field_type: FieldType,
}

impl Field {
    /// Creates a field.
    pub fn new(name: impl Into<String>, field_type: FieldType) -> Self {
        Self { name: name.into(), field_type }
    }
}

/// Type of a field. Values are little endian and packed without gaps.
#[non_exhaustive]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FieldType {
    /// Structure: fields without gaps.
    Object(Vec<Field>),
    /// Boolean of four bytes, of which the lowest one counts.
    Boolean32,
    /// Boolean of one byte.
    Boolean8,
    /// UTF-16 code unit.
    Char16,
    /// Signed number, 1 byte.
    Int8,
    /// Unsigned number, 1 byte.
    UInt8,
    /// Signed number, 2 bytes.
    Int16,
    /// Unsigned number, 2 bytes.
    UInt16,
    /// Signed number, 4 bytes.
    Int32,
    /// Unsigned number, 4 bytes.
    UInt32,
    /// Signed number, 8 bytes.
    Int64,
    /// Unsigned number, 8 bytes.
    UInt64,
    /// IEEE 754 number, 4 bytes.
    Float32,
    /// IEEE 754 number, 8 bytes.
    Float64,
    /// `System.Decimal` as in memory, 16 bytes.
    Decimal,
    /// FILETIME, 8 bytes: 100 ns units since 1601 in UTC. The format documents say SYSTEMTIME, but no writer uses it.
    DateTime,
    /// GUID, 16 bytes.
    Guid,
    /// UTF-16 text up to a NUL.
    Utf16String,
    /// u16 count, then the elements.
    Array(Box<FieldType>),
    /// Signed number in zig-zag LEB128, at most 64 bits.
    VarInt,
    /// Unsigned number in LEB128, at most 64 bits.
    VarUInt,
    /// Array whose length is in the metadata.
    FixedLengthArray(Box<FieldType>, u16),
    /// UTF-8 code unit.
    Utf8CodeUnit,
    /// Reference to elements elsewhere in the payload, a u32: the low half is their offset from the end of the reference, the
    /// high half their size in bytes.
    RelLoc(Box<FieldType>),
    /// Reference to elements elsewhere in the payload, a u32: the low half is their offset from the start of the payload, the
    /// high half their size in bytes.
    DataLoc(Box<FieldType>),

    /// Address of the header's pointer size. No file declares this type; runtime events use it.
    Pointer,
    /// 8-bit text up to a NUL. No file declares this type; runtime events use it.
    Utf8String,
    /// u16 count of bytes, then UTF-8 text. No file declares this type; events of machine-wide traces use it.
    CountedUtf8String,
    /// Array whose length is in an earlier field. No file declares this type; runtime events use it.
    CountedArray {
        /// Index of the field with the count, in the same list of fields.
        count_field: u16,
        /// Type of the elements.
        element: Box<FieldType>,
    },
}

impl FieldType {
    /// Returns the type code of version 6, which has the codes of all earlier versions; 0 for types that no file declares.
    pub fn code(&self) -> u8 {
        match self {
            Self::Object(_) => 1,
            Self::Boolean32 => 3,
            Self::Char16 => 4,
            Self::Int8 => 5,
            Self::UInt8 => 6,
            Self::Int16 => 7,
            Self::UInt16 => 8,
            Self::Int32 => 9,
            Self::UInt32 => 10,
            Self::Int64 => 11,
            Self::UInt64 => 12,
            Self::Float32 => 13,
            Self::Float64 => 14,
            Self::Decimal => 15,
            Self::DateTime => 16,
            Self::Guid => 17,
            Self::Utf16String => 18,
            Self::Array(_) => 19,
            Self::VarInt => 20,
            Self::VarUInt => 21,
            Self::FixedLengthArray(..) => 22,
            Self::Utf8CodeUnit => 23,
            Self::RelLoc(_) => 24,
            Self::DataLoc(_) => 25,
            Self::Pointer | Self::Utf8String | Self::CountedUtf8String | Self::CountedArray { .. } => 0,
            Self::Boolean8 => 26,
        }
    }

    /// Returns the type without parts that has this code in every version.
    pub(crate) fn from_plain_code(code: u32) -> Option<Self> {
        Some(match code {
            3 => Self::Boolean32,
            4 => Self::Char16,
            5 => Self::Int8,
            6 => Self::UInt8,
            7 => Self::Int16,
            8 => Self::UInt16,
            9 => Self::Int32,
            10 => Self::UInt32,
            11 => Self::Int64,
            12 => Self::UInt64,
            13 => Self::Float32,
            14 => Self::Float64,
            15 => Self::Decimal,
            16 => Self::DateTime,
            17 => Self::Guid,
            18 => Self::Utf16String,
            26 => Self::Boolean8,
            _ => return None,
        })
    }

    /// Returns the type of an array's elements; `None` for other types.
    pub fn element(&self) -> Option<&Self> {
        match self {
            Self::Array(element)
            | Self::FixedLengthArray(element, _)
            | Self::RelLoc(element)
            | Self::DataLoc(element)
            | Self::CountedArray { element, .. } => Some(element),
            _ => None,
        }
    }

    /// Returns the size of a value in bytes; `None` if it varies.
    pub fn fixed_bytes(&self, pointer_size: u8) -> Option<usize> {
        Some(match self {
            Self::Boolean8 | Self::Int8 | Self::UInt8 | Self::Utf8CodeUnit => 1,
            Self::Char16 | Self::Int16 | Self::UInt16 => 2,
            Self::Boolean32 | Self::Int32 | Self::UInt32 | Self::Float32 => 4,
            Self::Int64 | Self::UInt64 | Self::Float64 | Self::DateTime => 8,
            Self::RelLoc(_) | Self::DataLoc(_) => 4,
            Self::Decimal | Self::Guid => 16,
            Self::Pointer => usize::from(pointer_size),
            Self::Object(fields) => fields
                .iter()
                .try_fold(0usize, |sum, field| sum.checked_add(field.field_type.fixed_bytes(pointer_size)?))?,
            Self::FixedLengthArray(element, count) => {
                element.fixed_bytes(pointer_size)?.checked_mul(usize::from(*count))?
            }
            Self::Utf16String
            | Self::Array(_)
            | Self::VarInt
            | Self::VarUInt
            | Self::Utf8String
            | Self::CountedUtf8String
            | Self::CountedArray { .. } => return None,
        })
    }
}
