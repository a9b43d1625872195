//! The tool over folders of the test's own.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails the test")]

mod folder;

mod alone;
mod answers;
mod edits;
mod fake_qdrant;
mod oracle;
mod vectors;
