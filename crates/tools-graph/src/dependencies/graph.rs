//! Requirements and preferences between tools, validated when the graph is built.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::{algo::tarjan_scc, graphmap::DiGraphMap};
use thiserror::Error;
use tools_core::{ToolName, nearest, quoted, resolve_alias};

use super::{DependenciesConfig, Prerequisites};

/// A fault of the rules that was corrected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum DependencyFault {
    /// Tools that require one another could never be shown. Their requirements are dropped.
    #[error("the tools {} need one another; what they require is not asked for", quoted(.0))]
    Cycle(Vec<ToolName>),
    /// A rule names an unknown tool. It is dropped.
    #[error("`{key}` names `{name}`, which is not a tool{}", nearest.as_ref().map(|n| format!("; the nearest is `{n}`")).unwrap_or_default())]
    NoSuchTool { key: String, name: String, nearest: Option<String> },
    /// A tool that is always shown requires another. Its requirements are dropped.
    #[error("`{0}` is always on; what it requires is not asked for")]
    AlwaysOn(ToolName),
    /// A boost is not a number from 0 to 1. The default is used.
    #[error("`tools.dependencies.{0}` is not a number from 0 to 1; the default is used")]
    Boost(&'static str),
}

/// Requirements and preferences between tools.
#[derive(Debug, Clone, Default)]
pub struct ToolDependencyGraph {
    requires: BTreeMap<ToolName, BTreeSet<ToolName>>,
    prefers: BTreeMap<ToolName, BTreeSet<ToolName>>,
    boost_per_dep: f32,
    max_total_boost: f32,
}

impl ToolDependencyGraph {
    /// Builds the graph of the rules over the existing tools, and returns the faults for warnings.
    /// Rules that cannot be met are dropped, so that no tool is hidden for ever. Empty if the
    /// section is disabled.
    pub fn new(
        config: &DependenciesConfig,
        tools: &BTreeSet<ToolName>,
        always_on: &BTreeSet<ToolName>,
    ) -> (Self, Vec<DependencyFault>) {
        let mut faults = Vec::new();
        let defaults = DependenciesConfig::default();
        let mut graph = Self {
            boost_per_dep: share("boost_per_dep", config.boost_per_dep, defaults.boost_per_dep, &mut faults),
            max_total_boost: share("max_total_boost", config.max_total_boost, defaults.max_total_boost, &mut faults),
            ..Self::default()
        };
        if !config.enabled {
            return (Self::default(), vec![]);
        }
        for (name, rule) in &config.rules {
            let key = format!("tools.dependencies.rules.{name}");
            let Some(tool) = known(&key, name, tools, &mut faults) else { continue };
            let mut all = |part: &str, names: &[String]| -> BTreeSet<ToolName> {
                let key = format!("{key}.{part}");
                names.iter().filter_map(|name| known(&key, name, tools, &mut faults)).collect()
            };
            let (requires, prefers) = (all("requires", &rule.requires), all("prefers", &rule.prefers));
            if !requires.is_empty() && always_on.contains(&tool) {
                faults.push(DependencyFault::AlwaysOn(tool.clone()));
            } else if !requires.is_empty() {
                graph.requires.insert(tool.clone(), requires);
            }
            graph.prefers.insert(tool, prefers);
        }
        let cycles = graph.cycles();
        for cycle in cycles {
            graph.requires.retain(|tool, _| !cycle.contains(tool));
            faults.push(DependencyFault::Cycle(cycle));
        }
        for fault in &faults {
            tracing::warn!(%fault, "a rule on dependencies of tools was put right");
        }
        (graph, faults)
    }

    /// Whether any tool requires or prefers another.
    pub(crate) fn has_rules(&self) -> bool {
        !self.requires.is_empty() || !self.prefers.is_empty()
    }

    /// Groups of tools that require one another, each sorted.
    fn cycles(&self) -> Vec<Vec<ToolName>> {
        let edges = self.requires.iter().flat_map(|(tool, needed)| needed.iter().map(move |need| (tool, need)));
        let graph: DiGraphMap<&ToolName, ()> = DiGraphMap::from_edges(edges);
        let is_cycle = |group: &Vec<&ToolName>| group.len() > 1 || graph.contains_edge(group[0], group[0]);
        let mut cycles: Vec<Vec<ToolName>> =
            tarjan_scc(&graph).into_iter().filter(is_cycle).map(|group| group.into_iter().cloned().collect()).collect();
        for cycle in &mut cycles {
            cycle.sort();
        }
        cycles.sort();
        cycles
    }

    /// The missing and preferred tools after these have succeeded.
    pub fn prerequisites(&self, completed: &BTreeSet<ToolName>) -> Prerequisites {
        let missing = |needed: &BTreeSet<ToolName>| needed.difference(completed).cloned().collect::<Vec<_>>();
        let needs = self.requires.iter().map(|(tool, needed)| (tool.clone(), missing(needed))).collect();
        let boosts = self.prefers.iter().filter_map(|(tool, preferred)| {
            let met = u16::try_from(preferred.intersection(completed).count()).unwrap_or(u16::MAX);
            let boost = (f32::from(met) * self.boost_per_dep).min(self.max_total_boost);
            (boost > 0.0).then(|| (tool.clone(), boost))
        });
        Prerequisites { needs, boosts: boosts.collect() }
    }
}

fn share(key: &'static str, value: f32, default: f32, faults: &mut Vec<DependencyFault>) -> f32 {
    if (0.0..=1.0).contains(&value) {
        return value;
    }
    faults.push(DependencyFault::Boost(key));
    default
}

fn known(key: &str, name: &str, tools: &BTreeSet<ToolName>, faults: &mut Vec<DependencyFault>) -> Option<ToolName> {
    let meant = resolve_alias(name, |name| tools.contains(name));
    let found = tools.get(meant.as_deref().unwrap_or(name)).cloned();
    if found.is_none() {
        let nearest = nearest(name, tools.iter().map(ToolName::as_str)).first().map(|&name| name.to_owned());
        faults.push(DependencyFault::NoSuchTool { key: key.to_owned(), name: name.to_owned(), nearest });
    }
    found
}
