//! The text of a PDF, by the parser of hayro. Files are made by whoever wants something from their
//! reader: what could take much memory or time is found before the parser sees it, and refused.

mod cmap;
mod cost;
mod font;
mod glyphs;
mod place;
mod text;

pub use text::{PdfText, pdf_text};

use thiserror::Error;

/// Reason why a PDF is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PdfProblem {
    /// More bytes than are looked at.
    #[error("it is larger than 16 MiB")]
    Large,
    /// A password or a permission.
    #[error("it is encrypted")]
    Encrypted,
    /// Compression whose result cannot be foreseen.
    #[error("it is compressed by filters that are not supported (LZW, RunLength, several in a row)")]
    Filters,
    /// More comes out of it than any text takes.
    #[error("it unpacks to more than 64 MiB")]
    Bomb,
    /// No PDF, or a damaged one.
    #[error("it is damaged")]
    Damaged,
}
