//! The tool over folders of the test's own.

mod folder;

mod answers;
mod edits;
mod oracle;
