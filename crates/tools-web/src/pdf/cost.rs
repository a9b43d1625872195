//! Estimates the cost of a PDF without parsing its structure. The parser decompresses some streams
//! whole, so no stream in the file may exceed the limit, even one that nothing refers to.

use flate2::{Decompress, FlushDecompress, Status};
use memchr::memmem;

use super::PdfProblem;

const MAX_BYTES: usize = 16 << 20;
/// Maximum size of all streams together, decompressed.
const MAX_UNPACKED: u64 = 64 << 20;
/// Maximum work, in passes over the file, for decompressing streams and for finding their ends.
const MAX_PASSES: u64 = 8;

/// Checks whether the file is cheap enough to parse.
pub(super) fn check_cost(bytes: &[u8]) -> Result<(), PdfProblem> {
    if bytes.len() > MAX_BYTES {
        return Err(PdfProblem::Large);
    }
    let plain = unescaped(bytes);
    if memmem::find(&plain, b"/Encrypt").is_some() {
        return Err(PdfProblem::Encrypted);
    }
    if has_other_filters(&plain) {
        return Err(PdfProblem::Filters);
    }
    let (mut unpacked, mut read, mut searched) = (0, 0, 0);
    let most = MAX_PASSES * (bytes.len() as u64 + 4096);
    let mut ends = memmem::find_iter(bytes, b"endstream").peekable();
    for start in memmem::find_iter(bytes, b"stream") {
        let behind = &bytes[start + b"stream".len()..];
        if !matches!(behind, [b'\r' | b'\n', ..]) || bytes[..start].ends_with(b"end") {
            continue;
        }
        while ends.next_if(|end| *end < start).is_some() {}
        searched += ends.peek().copied().unwrap_or(bytes.len()).saturating_sub(start) as u64;
        let skip = behind.iter().take(2).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        for skip in 1..=skip {
            let (taken, given) = inflate(&behind[skip..], MAX_UNPACKED - unpacked);
            (read, unpacked) = (read + taken, unpacked + given);
            if unpacked >= MAX_UNPACKED {
                return Err(PdfProblem::Bomb);
            }
        }
        if read > most || searched > most {
            return Err(PdfProblem::Damaged);
        }
    }
    Ok(())
}

/// Number of bytes read and decompressed from a possible compressed stream.
fn inflate(bytes: &[u8], most: u64) -> (u64, u64) {
    let has_header = matches!(bytes, [first, second, ..]
        if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31) && second & 0x20 == 0);
    let mut decoder = Decompress::new(has_header);
    let mut sink = vec![0; 32 * 1024];
    loop {
        let (read, unpacked) = (decoder.total_in(), decoder.total_out());
        let rest = usize::try_from(read).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        let status = decoder.decompress(rest, &mut sink, FlushDecompress::None);
        let stands = (decoder.total_in(), decoder.total_out()) == (read, unpacked);
        if stands || decoder.total_out() >= most || !matches!(status, Ok(Status::Ok)) {
            return (decoder.total_in(), decoder.total_out());
        }
    }
}

/// Whether a stream may have filters whose output size [`inflate`] does not measure. Text that only
/// looks like a filter counts too.
fn has_other_filters(plain: &[u8]) -> bool {
    let is_whole = |at: usize, name: &[u8]| plain.get(at + name.len()).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    let has = |name: &[u8]| memmem::find_iter(plain, name).any(|at| is_whole(at, name));
    if [&b"/LZWDecode"[..], b"/LZW", b"/RunLengthDecode", b"/RL"].into_iter().any(has) {
        return true;
    }
    let keys = [&b"/Filter"[..], b"/F"].into_iter();
    keys.flat_map(|key| {
        memmem::find_iter(plain, key).filter(move |at| is_whole(*at, key)).map(move |at| at + key.len())
    })
    .any(|at| !is_simple_filter(&plain[at..]))
}

/// Whether a filter value is one name, or a list in which a decompressing filter is the only one.
fn is_simple_filter(value: &[u8]) -> bool {
    let value = value.trim_ascii_start();
    match value {
        [b'[', rest @ ..] => {
            let list = &rest[..rest.iter().take(512).position(|byte| *byte == b']').unwrap_or(0)];
            let unpacks = list.split(|byte| *byte == b'/').filter(|name| name.starts_with(b"Fl")).count();
            let names = memchr::memchr_iter(b'/', list).count();
            let is_closed = rest.get(list.len()) == Some(&b']');
            // References and comments could contain anything.
            let has_others = list.split(u8::is_ascii_whitespace).any(|word| !matches!(word, [] | [b'/', ..]));
            is_closed && !has_others && (unpacks == 0 || names == 1)
        }
        _ => !is_reference(value),
    }
}

/// Whether the value is a reference to another object, such as `5 0 R`.
fn is_reference(value: &[u8]) -> bool {
    let mut words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_number = |word: Option<&[u8]>| word.is_some_and(|word| word.iter().all(u8::is_ascii_digit));
    is_number(words.next()) && is_number(words.next()) && words.next().is_some_and(|word| word.starts_with(b"R"))
}

/// The bytes with the `#hh` escapes of names decoded.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'#', rest) {
        plain.extend_from_slice(&rest[..at]);
        let digit = |at: usize| rest.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        if let (Some(high), Some(low)) = (digit(at + 1), digit(at + 2)) {
            plain.push(u8::try_from(high * 16 + low).unwrap_or(b'#'));
            rest = &rest[at + 3..];
        } else {
            plain.push(b'#');
            rest = &rest[at + 1..];
        }
    }
    plain.extend_from_slice(rest);
    plain
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, ZlibEncoder};

    use super::*;

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn stream(dictionary: &str, body: &[u8]) -> Vec<u8> {
        [b"%PDF-1.7\n1 0 obj ", dictionary.as_bytes(), b"\nstream\n", body, b"\nendstream\nendobj\n"].concat()
    }

    #[test]
    fn what_unpacks_to_too_much_is_found_however_it_is_named() {
        let check = |bytes: &[u8], expected| assert_eq!(check_cost(bytes), expected);
        let (some, bomb) = (zlib(&vec![0; 1 << 20]), zlib(&vec![0; 70 << 20]));
        check(&stream("<< /Filter /FlateDecode >>", &some), Ok(()));
        check(&stream("<< /Filter /FlateDecode >>", &bomb), Err(PdfProblem::Bomb));
        check(&stream("<< /Filter /DCTDecode >>", &bomb), Err(PdfProblem::Bomb));
        check(&stream("<< >>", &bomb), Err(PdfProblem::Bomb));
        let many = stream("<< /Filter /FlateDecode >>", &some).repeat(80);
        check(&many, Err(PdfProblem::Bomb));
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::fast());
        raw.write_all(&vec![0; 70 << 20]).unwrap();
        check(&stream("<< /Filter /FlateDecode >>", &raw.finish().unwrap()), Err(PdfProblem::Bomb));
        check(&vec![b' '; MAX_BYTES + 1], Err(PdfProblem::Large));
    }

    #[test]
    fn filters_that_cannot_be_foreseen_are_refused() {
        let check = |dictionary: &str, is_allowed: bool| {
            let expected = if is_allowed { Ok(()) } else { Err(PdfProblem::Filters) };
            assert_eq!(check_cost(&stream(dictionary, b"x")), expected, "{dictionary}");
        };
        check("<< /Filter /FlateDecode /Length 1 >>", true);
        check("<< /Filter[/FlateDecode]/Length 1 >>", true);
        check("<< /Filter [ /DCTDecode ] /FontFile 3 0 R /First 12 >>", true);
        check("<< /Filter [/ASCII85Decode /DCTDecode] >>", true);
        check("<< /Filter [/FlateDecode /FlateDecode] >>", false);
        check("<< /Filter [/FlateDecode /DCTDecode] >>", false);
        check("<< /Filter [/ASCII85Decode /FlateDecode] >>", false);
        check("<< /Filter [/#46lateDecode/F#6c] >>", false);
        check("<< /F#69lter [/Fl /Fl] >>", false);
        check("<< /F [/Fl % comment ]\n /Fl] >>", false);
        check("<< /Filter /LZWDecode >>", false);
        check("<< /F /LZ#57 >>", false);
        check("<< /Filter /RunLengthDecode >>", false);
        check("<< /Filter 5 0 R >>", false);
        check("<< /Filter [5 0 R 5 0 R] >>", false);
        check("<< /F 5 0 R >>", false);
        check("<< /Type /Annot /F 4 /Rect [0 0 1 1] >>", true);
        check("<< /Type /Filespec /F (a.txt) >>", true);
        assert_eq!(check_cost(b"%PDF-1.7\ntrailer << /Encrypt 5 0 R >>"), Err(PdfProblem::Encrypted));
        assert_eq!(check_cost(b"%PDF-1.7\ntrailer << /Encr#79pt 5 0 R >>"), Err(PdfProblem::Encrypted));
    }

    #[test]
    fn streams_without_an_end_are_not_searched_for_ever() {
        let many = b"1 0 obj << >> stream\n".repeat(20_000);
        assert_eq!(check_cost(&many), Err(PdfProblem::Damaged));
        let behind = [many, b"endstream ".repeat(20_000)].concat();
        assert_eq!(check_cost(&behind), Err(PdfProblem::Damaged));
    }
}
