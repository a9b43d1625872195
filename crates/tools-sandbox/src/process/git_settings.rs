//! Settings of git in an environment: numbered names and values, of which git wants every one that
//! their count promises.

use std::ffi::{OsStr, OsString};

const COUNT: &str = "GIT_CONFIG_COUNT";
const NAME: &str = "GIT_CONFIG_KEY_";
const VALUE: &str = "GIT_CONFIG_VALUE_";

/// Whether a variable is one of these.
pub(super) fn is_setting(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name == COUNT || name.starts_with(NAME) || name.starts_with(VALUE))
}

/// Whether all that the count promises is there, and each value may be handed on under the name of
/// its setting. If one may not, git fails at the others, so that none is handed on.
pub(super) fn is_whole(variables: &[(OsString, OsString)], passes: impl Fn(&str, &str) -> bool) -> bool {
    let value = |wanted: &str| variables.iter().find(|(name, _)| name == wanted).and_then(|(_, value)| value.to_str());
    let Some(count) = value(COUNT).and_then(|count| count.parse::<usize>().ok()) else { return false };
    // Each setting is two variables: a count beyond that is not one of settings that are there.
    count <= variables.len()
        && (0..count).all(|number| {
            let (name, value) = (value(&format!("{NAME}{number}")), value(&format!("{VALUE}{number}")));
            matches!((name, value), (Some(name), Some(value)) if !is_header(name) && passes(name, value))
        })
}

/// Whether a setting is a header of requests: what stands in one is most often a credential.
fn is_header(setting: &str) -> bool {
    setting.to_ascii_lowercase().ends_with(".extraheader")
}
