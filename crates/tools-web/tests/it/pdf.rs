//! PDFs that are made here: written as programs write them, damaged, and made to cost much.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;
use tools_web::pdf::{PdfProblem, pdf_text};

const PATIENCE: Duration = Duration::from_secs(1);

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A file of these objects, with their table; the first is the catalogue.
fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n", index + 1).into_bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    let table = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for offset in offsets {
        bytes.extend(format!("{offset:010} 00000 n \n").into_bytes());
    }
    let size = objects.len() + 1;
    bytes.extend(format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n").into_bytes());
    bytes
}

fn object(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

fn stream(dictionary: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<< {dictionary} /Length {} >>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

/// A page for each content, all with the same resources; further objects begin with the number 4.
fn pages(contents: &[&str], resources: &str, further: Vec<Vec<u8>>) -> Vec<u8> {
    let first = 4 + further.len();
    let kids: Vec<String> = (0..contents.len()).map(|page| format!("{} 0 R", first + 2 * page)).collect();
    let tree = format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), contents.len());
    let mut objects = vec![object("<< /Type /Catalog /Pages 2 0 R >>"), object(&tree), object(resources)];
    objects.extend(further);
    for (page, content) in contents.iter().enumerate() {
        let stream_id = first + 2 * page + 1;
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources 3 0 R /Contents {stream_id} 0 R >>"
        );
        objects.push(object(&page));
        objects.push(stream("/Filter /FlateDecode", &zlib(content.as_bytes())));
    }
    file(&objects)
}

const HELVETICA: &str =
    "<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> >> >>";

/// A file of two pages.
pub(crate) fn paper() -> Vec<u8> {
    pages(&["BT /F1 12 Tf 9 9 Td (Hello) Tj ET", "BT /F1 12 Tf 9 9 Td (world) Tj ET"], HELVETICA, vec![])
}

fn text(bytes: &[u8]) -> String {
    pdf_text(bytes, PATIENCE).unwrap().text
}

#[test]
fn words_lines_paragraphs_and_pages_are_told_apart() {
    let first = "BT /F1 12 Tf 72 720 Td (Hello) Tj 60 0 Td (world) Tj 0 -14 Td (a second line) Tj \
                 14 TL T* [(spaced) -400 (words and k) 30 (ern) -20 (ing)] TJ (next) ' ET\n\
                 BT /F1 12 Tf 1 0 0 1 72 500 Tm (Another paragraph \\(with parentheses\\) \\351) Tj ET";
    let found =
        pdf_text(&pages(&[first, "BT /F1 9 Tf 10 10 Td (Page two) Tj ET"], HELVETICA, vec![]), PATIENCE).unwrap();
    assert_eq!((found.pages, found.read, found.unknown), (2, 2, 0));
    assert_eq!(
        found.text,
        "Hello world\na second line\nspaced words and kerning\nnext\n\nAnother paragraph (with parentheses) é\n\nPage two"
    );
}

#[test]
fn fonts_say_what_their_codes_are() {
    let map = b"begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0001> <001A> <0061> \
                endbfrange 2 beginbfchar <0030> <0020> <0031> <4E2D6587> endbfchar endcmap";
    let further = vec![
        stream("/Filter /FlateDecode", &zlib(map)),
        object("<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 4 0 R >>"),
        object(
            "<< /Type /Font /Subtype /Type1 /Encoding << /Differences [1 /fi /eacute 65 /uni20AC /A.sc /odd] >> \
             /FirstChar 65 /Widths [500 500 500] >>",
        ),
        object("<< /Type /Font /Subtype /Type0 /Encoding /Identity-H >>"),
    ];
    let resources = "<< /Font << /W 5 0 R /D 6 0 R /N 7 0 R >> >>";
    let content = "BT /W 10 Tf 10 700 Td <000800050030001700310001> Tj 0 -20 Td /D 10 Tf (\\001\\002AB) Tj \
                   0 -20 Td /N 10 Tf <00010002> Tj ET";
    let found = pdf_text(&pages(&[content], resources, further), PATIENCE).unwrap();
    assert_eq!(found.text, "he w中文a\nfié€A");
    assert_eq!(found.unknown, 2);
}

#[test]
fn forms_and_objects_in_streams_are_read() {
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Matrix [1 0 0 1 0 50]",
        b"BT /F1 10 Tf 5 5 Td (inner) Tj ET",
    );
    let resources =
        "<< /XObject << /X 4 0 R >> /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>";
    let content = "q /X Do Q BT /F1 10 Tf 5 5 Td (outer) Tj ET";
    assert_eq!(text(&pages(&[content], resources, vec![form])), "inner\n\nouter");

    // The catalogue and its pages in a stream of objects, found by a table that is a stream as
    // well.
    let inner = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"];
    let page = format!("<< /Type /Page /Parent 2 0 R /Resources {HELVETICA} /Contents 5 0 R >>");
    let all = [inner[0], inner[1], &page];
    let mut at = 0;
    let mut index = String::new();
    for (number, object) in all.iter().enumerate() {
        let _ = write!(index, "{} {at} ", number + 1);
        at += object.len() + 1;
    }
    let body = format!("{index}{}\n", all.join("\n"));
    let mut bytes = b"%PDF-1.5\n".to_vec();
    let mut add = |number: usize, object: Vec<u8>| {
        let offset = bytes.len();
        bytes.extend(format!("{number} 0 obj\n").into_bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
        offset
    };
    let dictionary = format!("/Type /ObjStm /N 3 /First {} /Filter /FlateDecode", index.len());
    let objects = add(4, stream(&dictionary, &zlib(body.as_bytes())));
    let content = add(5, stream("", b"BT /F1 10 Tf 5 5 Td (from a stream) Tj ET"));
    let mut table = Vec::new();
    let mut row = |kind: u8, offset: usize, index: u8| {
        table.push(kind);
        table.extend(u32::try_from(offset).unwrap().to_be_bytes());
        table.push(index);
    };
    row(0, 0, 255);
    (0..3).for_each(|index| row(2, 4, index));
    row(1, objects, 0);
    row(1, content, 0);
    let own = add(6, stream("/Type /XRef /Size 6 /W [1 4 1] /Root 1 0 R /Filter /FlateDecode", &zlib(&table)));
    bytes.extend(format!("startxref\n{own}\n%%EOF\n").into_bytes());
    assert_eq!(text(&bytes), "from a stream");
}

#[test]
fn a_file_that_is_cut_or_damaged_gives_what_is_in_it_or_an_error() {
    let whole = pages(&["BT /F1 12 Tf 72 720 Td (Hello) Tj ET"; 3], HELVETICA, vec![]);
    for length in 0..whole.len() {
        if let Ok(found) = pdf_text(&whole[..length], PATIENCE) {
            assert!(found.text.is_empty() || found.text.starts_with("Hello"), "{length}: {found:?}");
        }
    }
    assert_eq!(text(&whole), "Hello\n\nHello\n\nHello");
    assert_eq!(pdf_text(b"%PDF-1.7\nnothing", PATIENCE), Err(PdfProblem::Damaged));
    let locked = [whole.as_slice(), b"trailer << /Encrypt 9 0 R >>"].concat();
    assert_eq!(pdf_text(&locked, PATIENCE), Err(PdfProblem::Encrypted));
}

/// Reads a file that was made to cost much. A hang is ended by whoever runs the tests.
fn costs_little(name: &str, bytes: &[u8]) {
    let found = pdf_text(bytes, Duration::from_millis(200));
    assert!(found.is_err() || found.is_ok_and(|found| found.text.len() <= 10 << 20), "{name}");
}

#[test]
fn hostile_files_come_to_an_end() {
    let page = |content: &str, resources: &str, further| pages(&[content], resources, further);
    costs_little("operators without end", &page(&"q ".repeat(1 << 18), HELVETICA, vec![]));
    costs_little(
        "text without end",
        &page(&"BT /F1 9 Tf (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ET ".repeat(1 << 15), HELVETICA, vec![]),
    );
    costs_little("numbers without end", &page(&"1 ".repeat(1 << 19), HELVETICA, vec![]));
    costs_little("arrays within arrays", &page(&"[".repeat(1 << 16), HELVETICA, vec![]));
    costs_little("dictionaries within dictionaries", &page(&"<</A ".repeat(1 << 15), HELVETICA, vec![]));
    costs_little("a font for each text", &page(&"BT /F1 9 Tf (a) Tj ET ".repeat(1 << 18), HELVETICA, vec![]));
    // Each form shows the next one twice.
    let forms: Vec<Vec<u8>> = (0..30)
        .map(|level| {
            let dictionary = format!("/Subtype /Form /Resources << /XObject << /X {} 0 R >> >>", level + 5);
            stream(&dictionary, b"/X Do /X Do /X Do /X Do /X Do /X Do /X Do /X Do /X Do /X Do")
        })
        .collect();
    costs_little("forms within forms", &page("/X Do", "<< /XObject << /X 4 0 R >> >>", forms));
    let own = vec![stream("/Subtype /Form /Resources << /XObject << /X 4 0 R >> >>", b"/X Do /X Do")];
    costs_little("a form in itself", &page("/X Do", "<< /XObject << /X 4 0 R >> >>", own));
    let catalogue = object("<< /Type /Catalog /Pages 2 0 R >>");
    costs_little(
        "pages within themselves",
        &file(&[catalogue.clone(), object("<< /Type /Pages /Kids [2 0 R 2 0 R 1 0 R] >>")]),
    );
    let tree = |level: usize| format!("<< /Type /Pages /Kids [{0} 0 R {0} 0 R {0} 0 R] >>", level + 3);
    let mut levels = vec![catalogue.clone()];
    levels.extend((0..60).map(|level| object(&tree(level))));
    costs_little("a tree of 3^60 pages", &file(&levels));
    costs_little("a catalogue in itself", &file(&[object("1 0 R"), object("2 0 R")]));
    costs_little("a length in itself", &file(&[catalogue.clone(), stream("/Length 2 0 R", b"x")]));
    let nested = object(&format!("<< /Type /Pages /Kids {}{} >>", "[".repeat(100_000), "]".repeat(100_000)));
    costs_little("kids within kids", &file(&[catalogue.clone(), nested]));
    costs_little("no end of streams", &b"1 0 obj << >> stream\n".repeat(40_000));
    costs_little("no end of objects", &[b"%PDF-1.7\n".to_vec(), b"1 0 obj ".repeat(100_000)].concat());
    costs_little(
        "a table that leads to itself",
        b"%PDF-1.7\nxref\n0 0\ntrailer << /Prev 9 /Root 1 0 R >>\nstartxref\n9\n%%EOF",
    );
    let wide = stream("/Type /XRef /Size 2147483647 /W [8 8 8] /Index [0 2147483647] /Root 1 0 R", b"x");
    costs_little("a table of 2^31 entries", &file(&[catalogue.clone(), wide]));
    let columns =
        "/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 2147483647 /Colors 32 /BitsPerComponent 16 >>";
    let content = stream(columns, &zlib(b"x"));
    costs_little(
        "rows of 2^31 columns",
        &file(&[
            catalogue,
            object("<< /Type /Pages /Kids [3 0 R] >>"),
            object("<< /Type /Page /Contents 4 0 R >>"),
            content,
        ]),
    );
    let map =
        [b"1 beginbfrange <00000000> <ffffffff> <0041> endbfrange ".repeat(2_000), b"beginbfchar ".to_vec()].concat();
    let further = vec![stream("", &map), object("<< /Subtype /Type0 /ToUnicode 4 0 R >>")];
    costs_little("ranges without end", &page("BT /F 9 Tf (abcd) Tj ET", "<< /Font << /F 5 0 R >> >>", further));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_do_harm(at in 0_usize..2000, to in prop::collection::vec(any::<u8>(), 0..12), cut in 0_usize..2000) {
        let mut bytes = pages(&["BT /F1 12 Tf 72 720 Td (Hello) Tj ET"; 2], HELVETICA, vec![]);
        let at = at.min(bytes.len());
        let end = (at + cut % 40).min(bytes.len());
        bytes.splice(at..end, to);
        let _ = pdf_text(&bytes, Duration::from_millis(300));
    }
}
