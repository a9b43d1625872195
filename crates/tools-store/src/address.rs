//! What is said of an address that leads to no store.

/// An address that no store can use.
pub const NO_ADDRESS: &str = "a `postgres://` address is expected";
/// A build that knows no servers.
pub const NO_SERVERS: &str = "this build has no PostgreSQL; enable the feature `postgres`";
