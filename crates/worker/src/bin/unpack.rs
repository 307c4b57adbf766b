//! Decompressor for formats that the browser can't decompress, and for damaged streams: see [`decompress`].

use decompress::{Coding, Damage, Decoder};
use js_sys::Uint8Array;
use wasm_bindgen::prelude::wasm_bindgen;

/// Stream decoder.
#[wasm_bindgen]
pub struct Unpacker {
    decoder: Decoder,
    output: Vec<u8>,
    damage: Option<Damage>,
}

#[wasm_bindgen]
impl Unpacker {
    /// Creates a decoder for a coding; an unknown name leaves the bytes unchanged.
    #[wasm_bindgen(constructor)]
    pub fn new(coding: &str) -> Self {
        let coding = Coding::of_name(coding).unwrap_or(Coding::Stored);
        Self { decoder: Decoder::new(coding), output: Vec::new(), damage: None }
    }

    /// Decodes the start of the input and returns the number of consumed bytes.
    pub fn decode(&mut self, input: &[u8]) -> usize {
        let result = self.decoder.decode(input, &mut self.output);
        result.unwrap_or_else(|damage| {
            self.damage = Some(damage);
            input.len()
        })
    }

    /// Marks the end of the input.
    pub fn finish(&mut self) {
        if self.damage.is_none() {
            self.damage = self.decoder.finish(&mut self.output).err();
        }
    }

    /// Returns the bytes decoded since the last call.
    pub fn output(&mut self) -> Uint8Array {
        let output = Uint8Array::from(self.output.as_slice());
        self.output.clear();
        output
    }

    /// Returns the reason of damage; `None` if there is none.
    pub fn damage(&self) -> Option<String> {
        self.damage.map(|damage| damage.what.to_owned())
    }

    /// Returns the offset of the damage in the compressed bytes.
    pub fn damage_offset(&self) -> f64 {
        self.damage.map_or(0.0, |damage| damage.packed_offset as f64)
    }
}

fn main() {}
