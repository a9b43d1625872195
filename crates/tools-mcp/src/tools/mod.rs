//! The one tool that the server brings itself.

pub(crate) mod more;
