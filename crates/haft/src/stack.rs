//! The order of the layers, as a value that `haft layers`, the reference page and the builder read.
//! Each layer's crate says what it refuses and why it has its position.

use std::{collections::BTreeSet, sync::Arc};

use tools_core::{Announce, Layer, LayerInfo, UnlistedLayer};
#[cfg(feature = "policy")]
use tools_policy::{GATES, gate::GatePosition};

use crate::config::LoadError;

/// Position of a host's layer. Layers with the same position are in the order in which they were
/// added, the first outermost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Inside the record, outside every gate. It sees every call, also one that a gate will refuse,
    /// and every result as the model gets it. What it refuses is recorded, and no gate is asked.
    BeforeGates,
    /// Inside the gates that judge calls, outside the cache. It sees allowed and approved calls,
    /// and results as the model gets them, also those from the cache.
    AfterGates,
    /// Inside everything else, including outside retries of a failed call. It sees what really
    /// runs: parameters with credentials in place of their placeholders, and the tool's output
    /// before it is redacted and shortened. What it adds to a result is treated like the tool's own
    /// text.
    AroundExecution,
}

/// Content of one place.
enum Slot {
    Layer(LayerInfo),
    #[cfg(feature = "policy")]
    Gates(GatePosition),
    /// Layers of the host.
    Host(Place),
}

/// All places, outermost first.
const STACK: &[Slot] = &[
    Slot::Layer(UnlistedLayer::INFO),
    Slot::Layer(Announce::INFO),
    #[cfg(feature = "audit")]
    Slot::Layer(tools_audit::Audit::INFO),
    Slot::Layer(tools_sandbox::WorkspaceLayer::INFO),
    #[cfg(feature = "graph")]
    Slot::Layer(tools_graph::DependencyLayer::INFO),
    Slot::Host(Place::BeforeGates),
    #[cfg(feature = "skills")]
    Slot::Layer(tools_skills::SkillsLayer::INFO),
    #[cfg(feature = "policy")]
    Slot::Gates(GatePosition::BeforeCall),
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
    Slot::Gates(GatePosition::AroundExecution),
    Slot::Host(Place::AroundExecution),
    #[cfg(feature = "retry")]
    Slot::Layer(tools_retry::RetryLayer::INFO),
];

impl Slot {
    /// Built-in layers of the place.
    fn rows(&self) -> Vec<LayerInfo> {
        match self {
            Self::Layer(info) => vec![*info],
            #[cfg(feature = "policy")]
            Self::Gates(position) => {
                GATES.iter().filter(|row| row.about.position == *position).map(|row| row.about.layer()).collect()
            }
            Self::Host(_) => vec![],
        }
    }
}

/// Layers of this build, outermost first; the gates in the order of their list.
pub fn layers() -> Vec<LayerInfo> {
    STACK.iter().flat_map(Slot::rows).collect()
}

/// Sorts layers into the documented order; layers of the host with the same place stay in the given
/// order.
///
/// # Errors
/// Two layers with the same name.
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

/// Layers that judge and record a call, for calls that another program runs. Such programs need the
/// reason of a refusal.
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
