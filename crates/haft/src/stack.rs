//! The order of the layers, as a value: `haft layers`, the reference page and the builder all read
//! it here. With what a layer refuses and why it stands where it stands is told by its crate.

use std::{collections::BTreeSet, sync::Arc};

use tools_core::{Announce, Layer, LayerInfo, UnlistedLayer};
#[cfg(feature = "policy")]
use tools_policy::{GATES, gate::Stands};

use crate::config::LoadError;

/// Position of a host's layer. Layers of one place stand in the order in which they were given, the
/// first outermost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Inside the record, outside every gate. It sees every call, also one that a gate is going to
    /// refuse, and every result as the model gets it. What it refuses is on record, and no gate is
    /// asked.
    BeforeGates,
    /// Inside the gates that judge calls, outside the cache. It sees what was allowed or agreed to,
    /// and results as the model gets them, also those that the cache serves.
    AfterGates,
    /// Outside the repetitions of a failed call, inside everything else. It sees what really runs:
    /// parameters with the credentials in the place of their placeholders, and output as the tool
    /// gave it, before credentials are taken out and before it is shortened. What it adds to a
    /// result is treated like the tool's own text.
    AroundExecution,
}

/// What stands at one place.
enum Slot {
    Layer(LayerInfo),
    #[cfg(feature = "policy")]
    Gates(Stands),
    /// Layers of the host's.
    Host(Place),
}

/// All places, outermost first.
const STACK: &[Slot] = &[
    Slot::Layer(UnlistedLayer::INFO),
    Slot::Layer(Announce::INFO),
    #[cfg(feature = "audit")]
    Slot::Layer(tools_audit::Audit::INFO),
    #[cfg(feature = "graph")]
    Slot::Layer(tools_graph::DependencyLayer::INFO),
    Slot::Host(Place::BeforeGates),
    #[cfg(feature = "skills")]
    Slot::Layer(tools_skills::SkillsLayer::INFO),
    #[cfg(feature = "policy")]
    Slot::Gates(Stands::BeforeCall),
    Slot::Host(Place::AfterGates),
    #[cfg(feature = "memory")]
    Slot::Layer(tools_memory::MemoryLayer::INFO),
    #[cfg(feature = "cache")]
    Slot::Layer(tools_cache::CacheLayer::INFO),
    #[cfg(feature = "overflow")]
    Slot::Layer(tools_overflow::OverflowLayer::INFO),
    #[cfg(feature = "filter")]
    Slot::Layer(tools_filter::FilterLayer::INFO),
    #[cfg(feature = "audit")]
    Slot::Layer(tools_audit::Audit::RUNNING),
    Slot::Layer(tools_secrets::SecretsLayer::INFO),
    #[cfg(feature = "checkpoint")]
    Slot::Layer(tools_checkpoint::Checkpoints::INFO),
    #[cfg(feature = "policy")]
    Slot::Gates(Stands::AroundExecution),
    Slot::Host(Place::AroundExecution),
    #[cfg(feature = "retry")]
    Slot::Layer(tools_retry::RetryLayer::INFO),
];

impl Slot {
    /// The built-in layers of the place.
    fn rows(&self) -> Vec<LayerInfo> {
        match self {
            Self::Layer(info) => vec![*info],
            #[cfg(feature = "policy")]
            Self::Gates(stands) => {
                GATES.iter().filter(|row| row.about.stands == *stands).map(|row| row.about.layer()).collect()
            }
            Self::Host(_) => vec![],
        }
    }
}

/// The layers of this build, outermost first; the gates among them in the order of their list.
pub fn layers() -> Vec<LayerInfo> {
    STACK.iter().flat_map(Slot::rows).collect()
}

/// Layers in the documented order; those of one place of the host's as they were given.
///
/// # Errors
/// Two of one name.
pub(crate) fn ordered(
    built_in: &[Arc<dyn Layer>],
    hosts: &[(Place, Arc<dyn Layer>)],
) -> Result<Vec<Arc<dyn Layer>>, LoadError> {
    let mut all = Vec::<Arc<dyn Layer>>::new();
    for slot in STACK {
        for row in slot.rows() {
            all.extend(built_in.iter().filter(|layer| layer.name() == row.name).cloned());
        }
        if let Slot::Host(place) = slot {
            all.extend(hosts.iter().filter(|(at, _)| at == place).map(|(_, layer)| Arc::clone(layer)));
        }
    }
    let mut names = BTreeSet::new();
    match all.iter().find(|layer| !names.insert(layer.name())) {
        Some(twice) => Err(LoadError::LayerTwice { name: twice.name() }),
        None => Ok(all),
    }
}

/// Those that judge a call and put it on record, for calls that another program runs. Such programs
/// ask for the reason of a refusal.
#[cfg(feature = "hosts")]
pub(crate) fn judging(
    built_in: &[Arc<dyn Layer>],
    hosts: &[(Place, Arc<dyn Layer>)],
) -> Result<Vec<Arc<dyn Layer>>, LoadError> {
    let gates = GATES.iter().map(|row| row.about.name);
    let names: BTreeSet<&str> = gates.chain([Announce::INFO.name, tools_audit::Audit::INFO.name]).collect();
    let judging: Vec<_> = built_in.iter().filter(|layer| names.contains(layer.name())).cloned().collect();
    let hosts: Vec<_> = hosts.iter().filter(|(place, _)| *place == Place::BeforeGates).cloned().collect();
    ordered(&judging, &hosts)
}
