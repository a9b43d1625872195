//! A toolbox through the doors by which it is served.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod approval_fuzz;
