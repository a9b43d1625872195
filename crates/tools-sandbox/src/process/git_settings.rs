//! Git settings in an environment: numbered names and values; git requires all that their count
//! announces.

use std::ffi::{OsStr, OsString};

const COUNT: &str = "GIT_CONFIG_COUNT";
const NAME: &str = "GIT_CONFIG_KEY_";
const VALUE: &str = "GIT_CONFIG_VALUE_";

/// Whether a variable belongs to these settings.
pub(super) fn is_setting(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name == COUNT || name.starts_with(NAME) || name.starts_with(VALUE))
}

/// Whether all announced settings exist and each value may be passed under its setting's name. If
/// one may not, none is passed, because git would fail at the others.
pub(super) fn is_whole(variables: &[(OsString, OsString)], passes: impl Fn(&str, &str) -> bool) -> bool {
    let value = |wanted: &str| variables.iter().find(|(name, _)| name == wanted).and_then(|(_, value)| value.to_str());
    let Some(count) = value(COUNT).and_then(|count| count.parse::<usize>().ok()) else { return false };
    // Each setting takes two variables: a larger count cannot be complete.
    count <= variables.len()
        && (0..count).all(|number| {
            let (name, value) = (value(&format!("{NAME}{number}")), value(&format!("{VALUE}{number}")));
            matches!((name, value), (Some(name), Some(value)) if !is_header(name) && passes(name, value))
        })
}

/// Whether a setting is a request header: its value is most often a credential.
fn is_header(setting: &str) -> bool {
    setting.to_ascii_lowercase().ends_with(".extraheader")
}
