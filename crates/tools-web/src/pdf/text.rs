//! The text of all pages in drawing order.

use std::collections::HashMap;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flate2::read::{DeflateDecoder, ZlibDecoder};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction as Op;
use hayro_syntax::object::{Array, Dict, MaybeRef, Number, Object, ObjectIdentifier, Stream};
use hayro_syntax::page::{Page, Resources};
use hayro_syntax::{Filter, LoadPdfError, Pdf};

use super::PdfProblem;
use super::cost::check_cost;
use super::font::Font;
use super::place::{Gap, Pen};

/// Maximum size of all decompressed content streams together.
const MAX_CONTENT: u64 = 64 << 20;
const MAX_TEXT: usize = 8 << 20;
const MAX_PAGES: usize = 5000;
/// Maximum nesting of forms.
const MAX_DEPTH: usize = 8;
/// Number of instructions between two readings of the clock.
const PACE: usize = 256;

/// The text of a PDF.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PdfText {
    /// The text, with an empty line between pages.
    pub text: String,
    /// Number of pages.
    pub pages: usize,
    /// Number of pages that were read.
    pub read: usize,
    /// Number of characters that the fonts do not map to text.
    pub unknown: usize,
}

/// Reads a PDF within about `patience`. A truncated file yields the pages that it contains.
///
/// # Errors
/// [`PdfProblem`].
pub fn pdf_text(bytes: &[u8], patience: Duration) -> Result<PdfText, PdfProblem> {
    let until = Instant::now() + patience;
    check_cost(bytes)?;
    // The parser may panic on a file that it does not expect; the process continues.
    catch_unwind(AssertUnwindSafe(|| read(bytes.to_vec(), until))).unwrap_or(Err(PdfProblem::Damaged))
}

fn read(bytes: Vec<u8>, until: Instant) -> Result<PdfText, PdfProblem> {
    let pdf = Pdf::new(Arc::new(bytes)).map_err(|error| match error {
        LoadPdfError::Decryption(_) => PdfProblem::Encrypted,
        LoadPdfError::Invalid => PdfProblem::Damaged,
    })?;
    let pages = pdf.pages();
    let mut found = PdfText { pages: pages.len(), ..PdfText::default() };
    let mut reader = Reader { until, left: MAX_CONTENT, fonts: HashMap::new(), found: &mut found };
    for page in pages.iter().take(MAX_PAGES) {
        if reader.page(page).is_none() {
            break;
        }
        reader.found.read += 1;
    }
    let end = found.text.trim_end().len();
    found.text.truncate(end);
    Ok(found)
}

struct Reader<'f> {
    until: Instant,
    /// Bytes that may still be decompressed.
    left: u64,
    fonts: HashMap<ObjectIdentifier, Rc<Font>>,
    found: &'f mut PdfText,
}

/// A content stream and the objects that it names.
struct Scope<'s, 'a> {
    content: &'s [u8],
    resources: &'s Resources<'a>,
    depth: usize,
}

impl Reader<'_> {
    /// Reads a page; `None` when the time or the size limit is reached.
    fn page(&mut self, page: &Page<'_>) -> Option<()> {
        if !self.found.text.is_empty() {
            self.found.text.push_str("\n\n");
        }
        let content = self.contents(page.raw())?;
        let scope = Scope { content: &content, resources: page.resources(), depth: 0 };
        self.run(&scope, &mut Pen::new())
    }

    /// The content of a page, which may be in several streams.
    fn contents(&mut self, page: &Dict<'_>) -> Option<Vec<u8>> {
        match page.get::<Object<'_>>("Contents") {
            Some(Object::Stream(stream)) => self.unpacked(&stream),
            Some(Object::Array(streams)) => {
                let mut all = Vec::new();
                for stream in streams.iter::<Stream<'_>>() {
                    all.extend(self.unpacked(&stream)?);
                    all.push(b'\n');
                }
                Some(all)
            }
            _ => Some(Vec::new()),
        }
    }

    /// The content of a stream, empty when its filters are not supported; `None` when the size
    /// limit is reached.
    fn unpacked(&mut self, stream: &Stream<'_>) -> Option<Vec<u8>> {
        let raw = stream.raw_data();
        let mut content = Vec::new();
        match stream.filters().as_slice() {
            [] => content.extend_from_slice(raw.get(..usize::try_from(self.left).ok()?.min(raw.len()))?),
            [Filter::FlateDecode] => {
                // A truncated stream is read as far as possible.
                let _ = ZlibDecoder::new(raw.as_ref()).take(self.left).read_to_end(&mut content);
                if content.is_empty() {
                    let _ = DeflateDecoder::new(raw.as_ref()).take(self.left).read_to_end(&mut content);
                }
            }
            _ => {}
        }
        self.left -= content.len() as u64;
        (self.left > 0 && Instant::now() < self.until).then_some(content)
    }

    fn run(&mut self, scope: &Scope<'_, '_>, pen: &mut Pen) -> Option<()> {
        let mut instructions = TypedIter::new(scope.content);
        let mut font = Rc::new(Font::unknown());
        let mut count = 0;
        while let Some(op) = instructions.next() {
            count += 1;
            let is_late = count % PACE == 0 && Instant::now() > self.until;
            if is_late || self.found.text.len() > MAX_TEXT {
                return None;
            }
            match op {
                Op::SaveState(_) => pen.save(),
                Op::RestoreState(_) => pen.restore(),
                Op::Transform(op) => pen.transform([op.0, op.1, op.2, op.3, op.4, op.5].map(|n| n.as_f64())),
                Op::BeginText(_) => pen.begin(),
                Op::SetTextMatrix(op) => pen.set_matrix([op.0, op.1, op.2, op.3, op.4, op.5].map(|n| n.as_f64())),
                Op::NextLine(op) => pen.move_by(op.0.as_f64(), op.1.as_f64()),
                Op::NextLineAndSetLeading(op) => {
                    pen.set_leading(-op.1.as_f64());
                    pen.move_by(op.0.as_f64(), op.1.as_f64());
                }
                Op::TextLeading(op) => pen.set_leading(op.0.as_f64()),
                Op::NextLineUsingLeading(_) => pen.next_line(),
                Op::TextFont(op) => {
                    pen.set_size(op.1.as_f64());
                    font = self.font(scope.resources, op.0)?;
                }
                Op::ShowText(op) => self.show(&font, pen, op.0.as_bytes()),
                Op::NextLineAndShowText(op) => {
                    pen.next_line();
                    self.show(&font, pen, op.0.as_bytes());
                }
                Op::ShowTextWithParameters(op) => {
                    pen.next_line();
                    self.show(&font, pen, op.2.as_bytes());
                }
                Op::ShowTexts(op) => self.show_all(&font, pen, op.0),
                Op::XObject(op) if scope.depth < MAX_DEPTH => {
                    if let Some(form) = scope.resources.get_x_object(op.0) {
                        self.form(&form, scope, pen)?;
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    /// Reads a form, which is a page within a page.
    fn form(&mut self, form: &Stream<'_>, scope: &Scope<'_, '_>, pen: &mut Pen) -> Option<()> {
        let is_form =
            form.dict().get::<hayro_syntax::object::Name<'_>>("Subtype").is_some_and(|name| name.as_str() == "Form");
        if !is_form {
            return Some(());
        }
        let content = self.unpacked(form)?;
        let own = form.dict().get::<Dict<'_>>("Resources").map(Resources::new);
        let resources = own.as_ref().unwrap_or(scope.resources);
        pen.save();
        if let Some(matrix) = form.dict().get::<Array<'_>>("Matrix").and_then(|array| six(&array)) {
            pen.transform(matrix);
        }
        let read = self.run(&Scope { content: &content, resources, depth: scope.depth + 1 }, pen);
        pen.restore();
        read
    }

    fn font(&mut self, resources: &Resources<'_>, name: &hayro_syntax::object::Name<'_>) -> Option<Rc<Font>> {
        let Some(dict) = resources.get_font(name) else { return Some(Rc::new(Font::unknown())) };
        let id = dict.obj_id().unwrap_or(ObjectIdentifier::new(0, 0));
        if let Some(known) = self.fonts.get(&id).filter(|_| dict.obj_id().is_some()) {
            return Some(Rc::clone(known));
        }
        let map = match dict.get::<Stream<'_>>("ToUnicode") {
            Some(stream) => Some(self.unpacked(&stream)?),
            None => None,
        };
        let font = Rc::new(Font::new(&dict, map.as_deref()));
        self.fonts.insert(id, Rc::clone(&font));
        Some(font)
    }

    fn show(&mut self, font: &Font, pen: &mut Pen, string: &[u8]) {
        let shown = font.show(string);
        let text = &mut self.found.text;
        if !shown.text.is_empty() {
            let is_open = !text.is_empty() && !text.ends_with([' ', '\n']);
            match pen.gap() {
                Gap::Space if is_open && !shown.text.starts_with(' ') => text.push(' '),
                Gap::Line if is_open || text.ends_with(' ') => text.push('\n'),
                Gap::Paragraph if !text.is_empty() && !text.ends_with("\n\n") => text.push_str("\n\n"),
                _ => {}
            }
            text.push_str(&shown.text);
        }
        self.found.unknown += shown.unknown;
        pen.advance(shown.width);
        pen.ended();
    }

    fn show_all(&mut self, font: &Font, pen: &mut Pen, pieces: &Array<'_>) {
        for piece in pieces.raw_iter() {
            match piece {
                MaybeRef::NotRef(Object::String(string)) => self.show(font, pen, string.as_bytes()),
                MaybeRef::NotRef(Object::Number(number)) => pen.advance(-number.as_f64()),
                _ => {}
            }
        }
    }
}

fn six(array: &Array<'_>) -> Option<[f64; 6]> {
    let numbers: Vec<f64> = array.iter::<Number>().take(7).map(|number| number.as_f64()).collect();
    numbers.try_into().ok()
}
