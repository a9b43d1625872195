//! Extracts the text of a PDF with the hayro parser. A file may be hostile: one that could need
//! much memory or time is refused before parsing.

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
    /// Larger than the size limit.
    #[error("it is larger than 16 MiB")]
    Large,
    /// Encrypted, or protected by a password.
    #[error("it is encrypted")]
    Encrypted,
    /// Filters whose output size cannot be predicted.
    #[error("it is compressed by filters that are not supported (LZW, RunLength, several in a row)")]
    Filters,
    /// Decompressed content larger than the limit.
    #[error("it unpacks to more than 64 MiB")]
    Bomb,
    /// Not a PDF, or damaged.
    #[error("it is damaged")]
    Damaged,
}
