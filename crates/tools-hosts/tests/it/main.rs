//! What hosts are told and tell, and what becomes of their files.

#![expect(clippy::disallowed_methods, reason = "words are compared with what bash reads")]

mod edits;
mod hooks;
mod quoting;
