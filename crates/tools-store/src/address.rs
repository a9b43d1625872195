//! Errors about an address that no store can use.

/// An address that no store can use.
pub const NO_ADDRESS: &str = "a `postgres://` address is expected";
/// A build without support for servers.
pub const NO_SERVERS: &str = "this build has no PostgreSQL; enable the feature `postgres`";
