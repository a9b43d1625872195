//! Results that are served again, in a toolbox.

use std::sync::Arc;

use tools_cache::LiveCache;
use tools_core::Shared;

use crate::{config::HaftConfig, part::PartList};

/// The cache of a configuration. What is kept was filtered and judged as it was configured then.
pub(crate) fn cache(config: &HaftConfig, parts: &mut PartList) -> Arc<LiveCache> {
    let cache = Arc::new(LiveCache::new(&config.tools.result_cache));
    parts.layers.push(cache.layer());
    parts.forget(&cache, |cache, session| cache.results().forget(session));
    let following = Arc::clone(&cache);
    let tools = Shared::new(config.tools.clone());
    parts.follow(move |loaded| {
        let (cache, tools, new) = (Arc::clone(&following), tools.clone(), loaded.config.tools.clone());
        Ok(move || {
            if *tools.load() != new {
                cache.begin_anew(&new.result_cache);
                tools.store(new);
            }
        })
    });
    cache
}
