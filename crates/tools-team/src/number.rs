//! Numbers as the database has them.

/// A count as the database stores it.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A stored count.
#[cfg(feature = "audit")]
pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}
