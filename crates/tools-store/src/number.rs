//! Counts as databases store them, which is as signed numbers. No count, length or position of a
//! tool comes near the limit of either type.

/// The number that a database stores for a count; `i64::MAX` if the count does not fit.
pub fn signed(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

/// The count that a database stored; 0 for a negative number.
pub fn unsigned(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}
