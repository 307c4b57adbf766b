//! The program that a worker loads when it meets what its browser cannot unpack, or gives up on: see
//! [`decompress`].

use decompress::{Coding, Damage, Decoder};
use js_sys::Uint8Array;
use wasm_bindgen::prelude::wasm_bindgen;

/// A stream on its way.
#[wasm_bindgen]
pub struct Unpacker {
    decoder: Decoder,
    output: Vec<u8>,
    damage: Option<Damage>,
}

#[wasm_bindgen]
impl Unpacker {
    /// For a coding by its name; what is not known passes as it is.
    #[wasm_bindgen(constructor)]
    pub fn new(coding: &str) -> Self {
        let coding = Coding::of_name(coding).unwrap_or(Coding::Stored);
        Self { decoder: Decoder::new(coding), output: Vec::new(), damage: None }
    }

    /// Unpacks from the beginning of the input; how much of it was taken.
    pub fn decode(&mut self, input: &[u8]) -> usize {
        let result = self.decoder.decode(input, &mut self.output);
        result.unwrap_or_else(|damage| {
            self.damage = Some(damage);
            input.len()
        })
    }

    /// Says that no more input comes.
    pub fn finish(&mut self) {
        if self.damage.is_none() {
            self.damage = self.decoder.finish(&mut self.output).err();
        }
    }

    /// What came out since this was asked last.
    pub fn output(&mut self) -> Uint8Array {
        let output = Uint8Array::from(self.output.as_slice());
        self.output.clear();
        output
    }

    /// What is wrong; none while all is well.
    pub fn damage(&self) -> Option<String> {
        self.damage.map(|damage| damage.what.to_owned())
    }

    /// Where, in what is packed.
    pub fn damage_offset(&self) -> f64 {
        self.damage.map_or(0.0, |damage| damage.packed_offset as f64)
    }
}

fn main() {}
