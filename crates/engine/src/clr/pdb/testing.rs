//! Builds portable PDBs for tests, byte by byte.

/// Returns the token of the method in a row, from 1.
pub fn method_token(row: u32) -> u32 {
    0x0600_0000 | row
}

/// Builder of a portable PDB.
pub struct PdbBuilder {
    id: [u8; 16],
    blobs: Vec<u8>,
    documents: Vec<u16>,
    methods: Vec<(u16, u16)>,
}

impl PdbBuilder {
    /// Creates an empty PDB with this ID.
    pub fn new(id: [u8; 16]) -> Self {
        Self { id, blobs: vec![0], documents: Vec::new(), methods: Vec::new() }
    }

    /// Adds a document and returns its row.
    pub fn document(&mut self, path: &str) -> u16 {
        let mut name = vec![b'/'];
        for part in path.split('/') {
            let part = self.blob(part.as_bytes());
            name.extend(compressed(part.into()));
        }
        let name = self.blob(&name);
        self.documents.push(name);
        self.documents.len() as u16
    }

    /// Adds a method whose instructions from an offset on have lines, or none.
    pub fn method(&mut self, document: u16, points: &[(u32, Option<(u32, u32)>)]) {
        let mut blob = compressed(0);
        let (mut offset, mut last) = (0, None);
        for &(il_offset, lines) in points {
            blob.extend(compressed(il_offset - offset));
            offset = il_offset;
            let Some((start, end)) = lines else {
                blob.extend([0, 0]);
                continue;
            };
            blob.extend(compressed(end - start));
            blob.extend(if end == start { compressed(5) } else { signed(5) });
            match last {
                None => blob.extend([compressed(start), compressed(9)].concat()),
                Some(last) => blob.extend([signed(start as i32 - last), signed(0)].concat()),
            }
            last = Some(start as i32);
        }
        let blob = if points.is_empty() { 0 } else { self.blob(&blob) };
        self.methods.push((if points.is_empty() { 0 } else { document }, blob));
    }

    /// Returns the file.
    pub fn finish(mut self) -> Vec<u8> {
        self.blobs.resize(self.blobs.len().next_multiple_of(4), 0);
        let mut pdb = self.id.to_vec();
        pdb.extend([0; 4 + 4 + 8]);
        let mut tables = vec![0, 0, 0, 0, 2, 0, 0, 1];
        tables.extend((3u64 << 0x30).to_le_bytes());
        tables.extend(0u64.to_le_bytes());
        tables.extend((self.documents.len() as u32).to_le_bytes());
        tables.extend((self.methods.len() as u32).to_le_bytes());
        for name in self.documents {
            tables.extend([name, 0, 0, 0].map(u16::to_le_bytes).concat());
        }
        for (document, points) in self.methods {
            tables.extend([document, points].map(u16::to_le_bytes).concat());
        }
        tables.resize(tables.len().next_multiple_of(4), 0);
        let streams: [(&[u8], Vec<u8>); 3] =
            [(b"#Pdb\0\0\0\0", pdb), (b"#~\0\0", tables), (b"#Blob\0\0\0", self.blobs)];
        let mut file = b"BSJB\x01\0\x01\0\0\0\0\0\x0c\0\0\0PDB v1.0\0\0\0\0\0\0".to_vec();
        file.extend((streams.len() as u16).to_le_bytes());
        let head = file.len() + streams.iter().map(|(name, _)| 8 + name.len()).sum::<usize>();
        let mut place = head;
        for (name, content) in &streams {
            file.extend((place as u32).to_le_bytes());
            file.extend((content.len() as u32).to_le_bytes());
            file.extend(*name);
            place += content.len();
        }
        for (_, content) in streams {
            file.extend(content);
        }
        file
    }

    fn blob(&mut self, content: &[u8]) -> u16 {
        let at = self.blobs.len() as u16;
        self.blobs.extend(compressed(content.len() as u32));
        self.blobs.extend(content);
        at
    }
}

fn compressed(value: u32) -> Vec<u8> {
    match value {
        0..0x80 => vec![value as u8],
        0x80..0x4000 => vec![0x80 | (value >> 8) as u8, value as u8],
        _ => (value | 0xc000_0000).to_be_bytes().to_vec(),
    }
}

fn signed(value: i32) -> Vec<u8> {
    let turn = |bits: u32| ((value as u32) << 1 | u32::from(value < 0)) & ((1 << bits) - 1);
    match value {
        -64..64 => vec![turn(7) as u8],
        -8192..8192 => compressed_wide(turn(14)),
        _ => (turn(29) | 0xc000_0000).to_be_bytes().to_vec(),
    }
}

fn compressed_wide(value: u32) -> Vec<u8> {
    vec![0x80 | (value >> 8) as u8, value as u8]
}
