//! Long output in a toolbox: where it is stored, and which lines of it are always shown.

use std::sync::Arc;

use tools_overflow::{Archive, LiveOverflow};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, places::state_dir},
    part::PartList,
};

/// The store of a configuration, and the layer in front of it. Lines that report a failure are
/// shown wherever they stand.
///
/// # Errors
/// As [`overflow_archive`].
pub(crate) fn open(loaded: &LoadedConfig<HaftConfig>, parts: &mut PartList) -> Result<Arc<LiveOverflow>, LoadError> {
    #[cfg(feature = "filter")]
    let pin = tools_filter::failing_lines;
    #[cfg(not(feature = "filter"))]
    let pin = |_: &str| Vec::new();
    let overflow = Arc::new(LiveOverflow::new(&loaded.config.tools.overflow, overflow_archive(loaded)?, pin));
    parts.layers.push(overflow.layer());
    let following = Arc::clone(&overflow);
    parts.follow(move |loaded| {
        let (overflow, config) = (Arc::clone(&following), loaded.config.tools.overflow.clone());
        Ok(move || overflow.follow(&config))
    });
    Ok(overflow)
}

/// The store of long output under a configuration, which is opened when it is first used; `None`
/// when it is off.
///
/// # Errors
/// When `tools.overflow.database` is no address that this program can use.
pub fn overflow_archive(loaded: &LoadedConfig<HaftConfig>) -> Result<Option<Archive>, LoadError> {
    let archive = loaded.config.tools.overflow.archive(&state_dir());
    archive.map_err(|fault| loaded.fault_in("tools.overflow", fault))
}
