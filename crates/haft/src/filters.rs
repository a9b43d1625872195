//! The rules that command output is filtered by, in a toolbox.

use std::{path::Path, sync::Arc};

use tools_filter::LiveFilters;

use crate::{config::HaftConfig, part::PartList};

/// The filter rules of a configuration, whose file is `beside`.
pub(crate) fn open(config: &HaftConfig, beside: Option<&Path>, parts: &mut PartList) -> Arc<LiveFilters> {
    let filters = LiveFilters::new(&config.tools.filters, beside.map(Path::to_owned), tools_sandbox::home);
    let filters = Arc::new(filters);
    parts.layers.push(Arc::new(filters.layer()));
    let following = Arc::clone(&filters);
    parts.follow(move |loaded| {
        let (filters, config) = (Arc::clone(&following), loaded.config.tools.filters.clone());
        Ok(move || filters.follow(&config))
    });
    filters
}
