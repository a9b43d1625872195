//! Results that are served again, in a toolbox.

use std::sync::Arc;

use tools_cache::LiveCache;

use crate::{config::HaftConfig, part::PartList};

/// The cache of a configuration. What is kept was filtered and judged as it was configured then.
pub(crate) fn cache(config: &HaftConfig, parts: &mut PartList) -> Arc<LiveCache> {
    let cache = Arc::new(LiveCache::new(&config.tools.result_cache));
    parts.layers.push(cache.layer());
    parts.forget(&cache, |cache, session| cache.results().forget(session));
    let following = Arc::clone(&cache);
    parts.follow(move |before, loaded| {
        let (cache, config) = (Arc::clone(&following), loaded.config.tools.result_cache.clone());
        let is_other = before.tools != loaded.config.tools;
        Ok(move || {
            if is_other {
                cache.begin_anew(&config);
            }
        })
    });
    cache
}
