//! Identifies a file by its first bytes, to explain why it is not shown as text.

/// The media type of an image that models accept.
pub(crate) fn image_type(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// The apparent type of a binary file, as a phrase.
pub(crate) fn describe(head: &[u8]) -> &'static str {
    const KNOWN: [(&[u8], &str); 16] = [
        (b"\x7FELF", "an ELF executable"),
        (b"%PDF-", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x1F\x8B", "gzip data"),
        (b"\xFD7zXZ\0", "xz data"),
        (b"\x28\xB5\x2F\xFD", "zstd data"),
        (b"BZh", "bzip2 data"),
        (b"7z\xBC\xAF\x27\x1C", "a 7-Zip archive"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"\0asm", "a WebAssembly module"),
        (b"\xCA\xFE\xBA\xBE", "a Java class or Mach-O file"),
        (b"MZ", "a Windows executable"),
        (b"OggS", "Ogg media"),
        (b"ID3", "MP3 audio"),
        (b"\xFF\xFE\0\0", "UTF-32 text"),
        (b"\0\0\xFE\xFF", "UTF-32 text"),
    ];
    let known = KNOWN.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, name)| *name);
    known.unwrap_or(if image_type(head).is_some() { "an image" } else { "binary data" })
}
