//! The part of `cargo metadata` that the checks need, as a graph of packages.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::command::{capture, cargo};
use crate::failure::Failure;

/// Packages and their dependencies, with every feature enabled.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// By cargo's package id.
    pub(crate) packages: BTreeMap<String, Package>,
    /// Ids of the workspace's own packages.
    pub(crate) members: BTreeSet<String>,
}

#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Its features and what each one enables, including `default` if it is declared.
    pub(crate) features: BTreeMap<String, Vec<String>>,
    /// Its dependencies.
    pub(crate) edges: Vec<Edge>,
}

/// One dependency.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    /// The id of the package depended on.
    pub(crate) to: String,
    /// The sections of the manifest that contain it.
    pub(crate) kinds: BTreeSet<Kind>,
}

impl Edge {
    /// Whether users of the package compile the dependency.
    pub(crate) fn is_shipped(&self) -> bool {
        self.kinds.contains(&Kind::Normal) || self.kinds.contains(&Kind::Build)
    }
}

/// A section of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// `[dependencies]`
    Normal,
    /// `[build-dependencies]`
    Build,
    /// `[dev-dependencies]`
    Dev,
}

impl Graph {
    /// Reads the metadata of this workspace from cargo.
    pub(crate) fn of_workspace() -> Result<Self, Failure> {
        let text = capture(&mut cargo(&["metadata", "--format-version", "1", "--all-features", "--locked"]))?;
        Self::parse(&text)
    }

    /// Parses the output of `cargo metadata --format-version 1`.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let raw: Metadata = serde_json::from_str(text)
            .map_err(|source| Failure::Json { what: "the answer of `cargo metadata`".to_owned(), source })?;
        let mut nodes: BTreeMap<String, Vec<Edge>> = raw
            .resolve
            .nodes
            .into_iter()
            .map(|node| (node.id, node.deps.into_iter().map(Edge::from).collect()))
            .collect();
        let packages = raw
            .packages
            .into_iter()
            .filter_map(|package| {
                let edges = nodes.remove(&package.id)?;
                let RawPackage { id, name, version, features } = package;
                Some((id, Package { name, version, features, edges }))
            })
            .collect();
        Ok(Self { packages, members: raw.workspace_members.into_iter().collect() })
    }

    /// The name of a package, or its id if the package is unknown.
    pub(crate) fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.packages.get(id).map_or(id, |package| package.name.as_str())
    }

    /// The workspace's own packages, by id.
    pub(crate) fn member_packages(&self) -> impl Iterator<Item = (&str, &Package)> {
        self.members.iter().filter_map(|id| Some((id.as_str(), self.packages.get(id)?)))
    }
}

impl From<RawEdge> for Edge {
    fn from(raw: RawEdge) -> Self {
        let kinds = raw
            .dep_kinds
            .iter()
            .map(|kind| match kind.kind.as_deref() {
                Some("dev") => Kind::Dev,
                Some("build") => Kind::Build,
                _ => Kind::Normal,
            })
            .collect();
        Self { to: raw.pkg, kinds }
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<RawPackage>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct RawPackage {
    id: String,
    name: String,
    version: String,
    #[serde(default)]
    features: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<RawEdge>,
}

#[derive(Deserialize)]
struct RawEdge {
    pkg: String,
    dep_kinds: Vec<RawKind>,
}

#[derive(Deserialize)]
struct RawKind {
    kind: Option<String>,
}
