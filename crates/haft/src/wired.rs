//! What tools are wired with, made of what a builder was given: one line for each topic, each of
//! which is made by its own file.

use std::{path::Path, sync::Arc};

use tools_sandbox::ReadRules;

use crate::{
    config::{HaftConfig, LoadError, places},
    credentials,
    given::Given,
    own_places::OwnPlaces,
    part::PartList,
    wiring::Wiring,
};

/// Compiles every section of what a builder was given, for calls from `workdir`. `rules` are the
/// read rules of the configuration.
///
/// # Errors
/// The first section that cannot be compiled, by key and line.
pub(crate) fn wired(
    given: &mut Given,
    config: &Arc<HaftConfig>,
    workdir: &Path,
    rules: &ReadRules,
    parts: &mut PartList,
) -> Result<Wiring, LoadError> {
    let loaded = &given.loaded;
    let beside = loaded.file.as_deref().or(given.beside.as_deref());
    let places = OwnPlaces::of_user();
    places.guard(config, workdir, loaded.file.as_deref().filter(|_| given.was_discovered))?;
    places::own_state_dir().map_err(LoadError::StateFolder)?;

    let credentials = credentials::live(loaded, given.server.clone(), parts)?;
    let redactor = credentials.redactor();
    let _ = (redactor, beside, rules, &given.spelled);
    #[cfg(feature = "llm")]
    let models = crate::models::open(loaded, std::mem::take(&mut given.providers), parts)?;
    #[cfg(feature = "policy")]
    let gates = {
        let judge = given.judge.take();
        #[cfg(feature = "llm")]
        let judge = judge.or_else(|| crate::models::judge(&models, config));
        let hosts = crate::gates::names_of(&given.executors);
        crate::gates::open(loaded, judge, credentials.now(), hosts, given.guest.take(), parts)?
    };
    #[cfg(any(feature = "memory", feature = "graph", feature = "code"))]
    let embedder = given.embedder.take();
    #[cfg(all(feature = "embed", any(feature = "memory", feature = "graph", feature = "code")))]
    let embedder = match embedder {
        Some(embedder) => Some(embedder),
        None => crate::embedding::model(loaded)?,
    };
    #[cfg(any(feature = "audit", feature = "scheduler"))]
    let digest = parts.policy(loaded, "tools", |loaded| Ok(crate::config::policy_digest(&loaded.config)))?;
    #[cfg(feature = "audit")]
    let record = crate::record::open(loaded, redactor, &digest, parts)?;
    #[cfg(feature = "retry")]
    {
        let policy = parts.policy(loaded, "tools.retry", |loaded| loaded.config.tools.retry.compile())?;
        parts.layers.push(Arc::new(tools_retry::RetryLayer::new(policy)));
    }
    Ok(Wiring {
        #[cfg(any(feature = "shell", feature = "file"))]
        reserved: crate::own_places::ReservedPlaces::new(&places, loaded, config, beside),
        #[cfg(feature = "file")]
        spellings: crate::files::spellings(given.spelled.take(), config, workdir),
        #[cfg(feature = "shell")]
        jobs: crate::commands::jobs(redactor, given.server.take(), parts),
        #[cfg(feature = "egress")]
        outlets: crate::egress::networks(loaded, &gates, redactor, record.as_ref(), parts)?,
        #[cfg(feature = "policy")]
        gates,
        #[cfg(feature = "llm")]
        models,
        #[cfg(feature = "memory")]
        memory: crate::memory::tools(loaded, redactor, embedder.clone(), parts)?,
        #[cfg(feature = "mcp-client")]
        servers: crate::mcp_servers::servers(loaded, beside, redactor, parts)?,
        #[cfg(feature = "scheduler")]
        scheduler: crate::scheduler::tools(loaded, redactor, &digest, parts)?,
        #[cfg(feature = "skills")]
        skills: crate::skills::find(&config.skills, workdir, redactor, parts),
        #[cfg(feature = "overflow")]
        overflow: crate::overflow::open(loaded, parts)?,
        #[cfg(feature = "cache")]
        cache: crate::results::cache(config, parts),
        #[cfg(feature = "audit")]
        record,
        #[cfg(feature = "filter")]
        filters: crate::filters::open(config, beside, parts),
        #[cfg(feature = "checkpoint")]
        checkpoints: crate::checkpoints::keep(config, workdir, rules.clone(), parts),
        #[cfg(feature = "graph")]
        offering: crate::offer::ToolOffer::new(config, embedder.clone(), parts),
        #[cfg(feature = "code")]
        embedder,
        #[cfg(feature = "file")]
        credentials,
        #[cfg(feature = "web")]
        web: Arc::default(),
    })
}
