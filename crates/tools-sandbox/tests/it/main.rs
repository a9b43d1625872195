//! The crate's behaviour through its public interface.

#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed test")]

mod paths;
