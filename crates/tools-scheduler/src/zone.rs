//! Time zones by their IANA names.

use jiff::tz::TimeZone;

use crate::ScheduleError;

/// The zone with an IANA name; UTC for `None`.
///
/// # Errors
/// [`ScheduleError::Zone`] for an unknown name.
pub fn parse_zone(name: Option<&str>) -> Result<TimeZone, ScheduleError> {
    let Some(name) = name else { return Ok(TimeZone::UTC) };
    if name.eq_ignore_ascii_case("utc") {
        return Ok(TimeZone::UTC);
    }
    TimeZone::get(name).map_err(|_| ScheduleError::Zone(name.to_owned()))
}

/// The name of a zone from [`parse_zone`].
pub(crate) fn zone_name(zone: &TimeZone) -> &str {
    zone.iana_name().unwrap_or("UTC")
}
