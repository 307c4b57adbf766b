//! Builds archives and compressed files for tests.

/// Writer of a ZIP archive whose numbers can be wrong.
#[derive(Default)]
pub struct ArchiveWriter {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
    is_wide: bool,
}

/// File of an archive.
pub struct ArchiveFile<'d> {
    /// Path.
    pub path: &'d str,
    /// Compressed content.
    pub packed: &'d [u8],
    /// Number of the compression method.
    pub method: u16,
    /// Decompressed size in bytes.
    pub bytes: u64,
    /// Checksum of the decompressed content.
    pub crc32: u32,
    /// General purpose flags; with 8, the local header has no sizes.
    pub flags: u16,
}

impl ArchiveWriter {
    /// Returns an archive without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an archive with 64-bit sizes and offsets.
    pub fn wide() -> Self {
        Self { is_wide: true, ..Self::default() }
    }

    /// Adds an uncompressed file.
    pub fn stored(&mut self, path: &str, content: &[u8]) -> &mut Self {
        self.file(&ArchiveFile {
            path,
            packed: content,
            method: 0,
            bytes: content.len() as u64,
            crc32: crc_of(content),
            flags: 0,
        })
    }

    /// Adds a compressed file.
    pub fn packed(&mut self, path: &str, method: u16, packed: &[u8], content: &[u8]) -> &mut Self {
        self.file(&ArchiveFile { path, packed, method, bytes: content.len() as u64, crc32: crc_of(content), flags: 0 })
    }

    /// Adds a file with arbitrary header values.
    pub fn file(&mut self, file: &ArchiveFile<'_>) -> &mut Self {
        let header_at = self.bytes.len() as u64;
        let sizes_follow = file.flags & 8 != 0;
        let (crc32, bytes, packed) = match sizes_follow {
            true => (0, 0, 0),
            false => (file.crc32, file.bytes, file.packed.len() as u64),
        };
        self.bytes.extend(b"PK\x03\x04");
        push_u16(&mut self.bytes, &[45, file.flags, file.method, 0, 0]);
        self.bytes.extend(crc32.to_le_bytes());
        self.header(bytes, packed, None, file.path, true);
        self.bytes.extend(file.packed);
        let content_end = self.bytes.len();
        self.directory.extend(b"PK\x01\x02");
        push_u16(&mut self.directory, &[45, 45, file.flags, file.method, 0, 0]);
        self.directory.extend(file.crc32.to_le_bytes());
        self.header(file.bytes, file.packed.len() as u64, Some(header_at), file.path, false);
        debug_assert_eq!(content_end, self.bytes.len(), "the directory is apart");
        self.count += 1;
        self
    }

    /// Writes the part from sizes to name of a local or central header.
    fn header(&mut self, bytes: u64, packed: u64, header_at: Option<u64>, path: &str, is_local: bool) {
        let wide: Vec<u8> =
            [Some(bytes), Some(packed), header_at].into_iter().flatten().flat_map(u64::to_le_bytes).collect();
        let narrow = |value: u64| if self.is_wide { u32::MAX } else { value as u32 };
        let (bytes, packed) = (narrow(bytes), narrow(packed));
        let at = narrow(header_at.unwrap_or(0));
        let into = if is_local { &mut self.bytes } else { &mut self.directory };
        into.extend(packed.to_le_bytes());
        into.extend(bytes.to_le_bytes());
        let extra_bytes = if self.is_wide { 4 + wide.len() } else { 0 };
        push_u16(into, &[path.len() as u16, extra_bytes as u16]);
        if !is_local {
            push_u16(into, &[0, 0, 0, 0, 0]);
            into.extend(at.to_le_bytes());
        }
        into.extend(path.as_bytes());
        if self.is_wide {
            push_u16(into, &[1, wide.len() as u16]);
            into.extend(wide);
        }
    }

    /// Returns the archive with a comment at its end.
    pub fn finish_with(&mut self, comment: &[u8]) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.bytes);
        let directory = std::mem::take(&mut self.directory);
        let (start, length) = (bytes.len() as u64, directory.len() as u64);
        bytes.extend(directory);
        if self.is_wide {
            let record_at = bytes.len() as u64;
            bytes.extend(b"PK\x06\x06");
            bytes.extend(44u64.to_le_bytes());
            push_u16(&mut bytes, &[45, 45, 0, 0, 0, 0]);
            [u64::from(self.count); 2]
                .into_iter()
                .chain([length, start])
                .for_each(|one| bytes.extend(one.to_le_bytes()));
            bytes.extend(b"PK\x06\x07\0\0\0\0");
            bytes.extend(record_at.to_le_bytes());
            bytes.extend(1u32.to_le_bytes());
        }
        let narrow = |value: u64| if self.is_wide { u32::MAX } else { value as u32 };
        bytes.extend(b"PK\x05\x06");
        push_u16(&mut bytes, &[0, 0, self.count, self.count]);
        bytes.extend(narrow(length).to_le_bytes());
        bytes.extend(narrow(start).to_le_bytes());
        push_u16(&mut bytes, &[comment.len() as u16]);
        bytes.extend(comment);
        bytes
    }

    /// Returns the archive.
    pub fn finish(&mut self) -> Vec<u8> {
        self.finish_with(b"")
    }
}

/// Returns the checksum of a file.
pub fn crc_of(content: &[u8]) -> u32 {
    crc32fast::hash(content)
}

fn push_u16(into: &mut Vec<u8>, values: &[u16]) {
    values.iter().for_each(|value| into.extend(value.to_le_bytes()));
}
