//! Tests decoding of complete, truncated and damaged streams, in pieces of any size.

use super::*;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;

fn sample() -> Vec<u8> {
    let word = |at: u32| at.wrapping_mul(0x9e37_79b9) >> (at % 29);
    (0..100_000u32).flat_map(|at| word(at).to_le_bytes()).collect()
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn gzipped(content: &[u8]) -> Vec<u8> {
    let builder = flate2::GzBuilder::new().filename("a.nettrace").comment("x").extra(vec![1, 2, 3]);
    let mut encoder: GzEncoder<Vec<u8>> = builder.write(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zstandard(content: &[u8]) -> Vec<u8> {
    compress_to_vec(content, CompressionLevel::Fastest)
}

fn decoded(coding: Coding, packed: &[u8], piece: usize) -> (Vec<u8>, Result<(), Damage>) {
    let (mut decoder, mut all, mut output) = (Decoder::new(coding), Vec::new(), Vec::new());
    for mut rest in packed.chunks(piece) {
        while !rest.is_empty() {
            let result = decoder.decode(rest, &mut output);
            assert!(output.len() <= PIECE_BYTES + (256 << 10), "{} at once", output.len());
            all.append(&mut output);
            match result {
                Ok(taken) => rest = &rest[taken..],
                Err(damage) => return (all, Err(damage)),
            }
        }
    }
    let result = decoder.finish(&mut output);
    all.append(&mut output);
    (all, result)
}

#[test]
fn streams_decode_completely_from_pieces_of_any_size() {
    let content = sample();
    for (coding, packed) in [
        (Coding::Stored, content.clone()),
        (Coding::Deflate, deflated(&content)),
        (Coding::Gzip, gzipped(&content)),
        (Coding::Zstd, zstandard(&content)),
    ] {
        for piece in [1, 7, 4096, 1 << 20] {
            let (found, result) = decoded(coding, &packed, piece);
            assert!(found == content && result == Ok(()), "{coding:?} by {piece}: {} {result:?}", found.len());
        }
    }
}

#[test]
fn concatenated_members_decode_and_trailing_data_is_ignored() {
    let skipped = [&b"\x52\x2a\x4d\x18\x05\0\0\0"[..], b"12345"].concat();
    let two = [gzipped(b"one, "), gzipped(b"two")].concat();
    assert_eq!(decoded(Coding::Gzip, &two, 5), (b"one, two".to_vec(), Ok(())));
    assert_eq!(decoded(Coding::Gzip, &[two, vec![0; 512]].concat(), 3), (b"one, two".to_vec(), Ok(())));
    let two = [skipped.clone(), zstandard(b"one, "), skipped, zstandard(b"two")].concat();
    assert_eq!(decoded(Coding::Zstd, &two, 5), (b"one, two".to_vec(), Ok(())));
    assert_eq!(decoded(Coding::Deflate, &[deflated(b"one"), vec![7; 99]].concat(), 4), (b"one".to_vec(), Ok(())));
}

#[test]
fn truncated_stream_decodes_up_to_its_end() {
    let content = sample();
    for (coding, packed, kept) in [
        (Coding::Deflate, deflated(&content), 0.5),
        (Coding::Gzip, gzipped(&content), 0.5),
        // Zstandard is decoded in whole blocks of at most 128 KiB.
        (Coding::Zstd, zstandard(&content), 0.2),
    ] {
        let (found, result) = decoded(coding, &packed[..packed.len() * 3 / 5], 1000);
        assert!(content.starts_with(&found), "{coding:?}");
        assert!(found.len() as f64 > content.len() as f64 * kept, "{coding:?}: {}", found.len());
        assert_eq!(result.unwrap_err(), Damage { packed_offset: packed.len() as u64 * 3 / 5, what: CUT });
    }
}

#[test]
fn wrong_checksum_is_reported_after_all_data() {
    let content = sample();
    for (coding, mut packed) in [(Coding::Gzip, gzipped(&content)), (Coding::Zstd, zstandard(&content))] {
        let last = packed.len() - if coding == Coding::Gzip { 6 } else { 1 };
        packed[last] ^= 1;
        let (found, result) = decoded(coding, &packed, 4096);
        assert!(found == content && result.unwrap_err().what.contains("checksum"), "{coding:?}");
    }
}

#[test]
fn decompression_bomb_decodes_in_bounded_pieces() {
    let zeros = vec![0; 16 << 20];
    for (coding, packed) in [(Coding::Gzip, gzipped(&zeros)), (Coding::Zstd, zstandard(&zeros))] {
        let (found, result) = decoded(coding, &packed, 64 << 10);
        assert!(found.len() == zeros.len() && result == Ok(()), "{coding:?}");
    }
}

#[test]
fn garbage_is_reported_as_damage() {
    for coding in [Coding::Deflate, Coding::Gzip, Coding::Zstd] {
        let (found, result) = decoded(coding, b"\x1f\x8b\x07 not compressed at all, whatever it says", 9);
        assert!(found.is_empty() && result.is_err(), "{coding:?}");
        assert_eq!(decoded(coding, b"", 1).1.unwrap_err().what, CUT);
    }
}

#[test]
fn carriage_returns_of_text_mode_transfer_are_removed() {
    let content = [&sample()[..5000], b"\r\r\n\n\r"].concat();
    let mut packed = Vec::new();
    for &byte in &content {
        packed.extend_from_slice(if byte == b'\n' { b"\r\n" } else { std::slice::from_ref(&byte) });
    }
    for piece in [1, 3, 4096] {
        assert_eq!(decoded(Coding::AddedReturns, &packed, piece), (content.clone(), Ok(())), "{piece} at a time");
    }
}
