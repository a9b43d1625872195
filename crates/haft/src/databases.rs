//! What is said of the address of a database.

/// A store cannot use the address.
#[cfg(all(
    feature = "postgres",
    any(feature = "agent", feature = "audit", feature = "memory", feature = "policy", feature = "scheduler")
))]
pub(crate) const NO_ADDRESS: &str = "a `postgres://` address is expected";
/// The build knows no databases.
#[cfg(all(
    not(feature = "postgres"),
    any(feature = "agent", feature = "audit", feature = "memory", feature = "policy", feature = "scheduler")
))]
pub(crate) const NO_SERVERS: &str = "this build has no PostgreSQL; enable the feature `postgres`";
