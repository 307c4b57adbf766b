//! The types that payload fields can have.

/// One field of a payload.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// Its name, empty for the single field around a self-describing payload.
    pub name: String,
    /// How its bytes are laid out.
    pub field_type: FieldType,
}

impl Field {
    /// A field with this name and type.
    pub fn new(name: impl Into<String>, field_type: FieldType) -> Self {
        Self { name: name.into(), field_type }
    }
}

/// How the bytes of a field are laid out. Everything is little endian and packed without gaps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FieldType {
    /// These fields one after the other.
    Object(Vec<Field>),
    /// Four bytes; the lowest decides.
    Boolean32,
    /// One byte.
    Boolean8,
    /// One UTF-16 code unit.
    Char16,
    /// Signed, 1 byte.
    Int8,
    /// Unsigned, 1 byte.
    UInt8,
    /// Signed, 2 bytes.
    Int16,
    /// Unsigned, 2 bytes.
    UInt16,
    /// Signed, 4 bytes.
    Int32,
    /// Unsigned, 4 bytes.
    UInt32,
    /// Signed, 8 bytes.
    Int64,
    /// Unsigned, 8 bytes.
    UInt64,
    /// IEEE 754, 4 bytes.
    Float32,
    /// IEEE 754, 8 bytes.
    Float64,
    /// A System.Decimal as it is in memory, 16 bytes.
    Decimal,
    /// A FILETIME, 8 bytes: 100 ns since 1601 in UTC. (The format documents say SYSTEMTIME; no writer does that.)
    DateTime,
    /// 16 bytes.
    Guid,
    /// UTF-16 up to a NUL.
    Utf16String,
    /// A u16 count, then as many elements.
    Array(Box<FieldType>),
    /// Zig-zag LEB128, at most 64 bits.
    VarInt,
    /// LEB128, at most 64 bits.
    VarUInt,
    /// As many elements as the metadata says.
    FixedLengthArray(Box<FieldType>, u16),
    /// One UTF-8 code unit.
    Utf8CodeUnit,
    /// A u32: the low half is where the elements are, counted from behind these four bytes, the high half how many bytes.
    RelLoc(Box<FieldType>),
    /// A u32: the low half is where the elements are, counted from the start of the payload, the high half how many bytes.
    DataLoc(Box<FieldType>),

    /// An address, pointer size wide. Only in the built-in manifest.
    Pointer,
    /// 8-bit text up to a NUL. Only in the built-in manifest.
    Utf8String,
    /// A u16 count of bytes, then UTF-8. Only in the built-in manifest.
    CountedUtf8String,
    /// As many elements as an earlier field says. Only in the built-in manifest.
    CountedArray {
        /// Index of the field with the count, in the list of fields this one is in.
        count_field: u16,
        /// The type of each element.
        element: Box<FieldType>,
    },
}

impl FieldType {
    /// The number that files declare the type by, as version 6 has them all (nettrace-v6.md, "MetadataBlock"); 0 of types that
    /// no file can declare.
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

    /// The type with this number, if it is one without parts that exists in every version.
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

    /// Bytes of a value, if every value has the same number of bytes.
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
