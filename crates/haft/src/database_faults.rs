//! What is said of the address of a database in a section.

/// A store cannot use the address.
#[cfg(feature = "postgres")]
pub(crate) const NO_ADDRESS: &str = "a `postgres://` address is expected";
/// The build knows no databases.
#[cfg(not(feature = "postgres"))]
pub(crate) const NO_SERVERS: &str = "this build has no PostgreSQL; enable the feature `postgres`";
