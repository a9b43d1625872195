//! Checks the dependencies between crates: they go to a lower rank, and heavy dependencies stay
//! isolated. The table of ranks is the whole policy; `docs/architecture.md` shows it. Every finding
//! names the dependency and the rule.

use std::collections::{BTreeMap, VecDeque};

use crate::failure::Failure;
use crate::metadata::{Edge, Graph, Kind, Package};

/// A dependency that only some crates may reach, with the reason.
struct Isolated {
    names: &'static [&'static str],
    gates: &'static [&'static str],
    why: &'static str,
}

const ISOLATED: &[Isolated] = &[
    Isolated {
        names: &["reqwest", "hyper"],
        gates: &[
            "tools-web",
            "tools-providers",
            "tools-mcp",
            "tools-mcp-client",
            "tools-mcp-http",
            "tools-code",
            "tools-tls",
        ],
        why: "whoever takes only the file tools compiles no HTTP client",
    },
    Isolated {
        names: &["sqlx", "sqlx-core"],
        gates: &["tools-overflow", "tools-store", "tools-memory", "tools-scheduler", "tools-team"],
        why: "whoever takes only the file tools compiles no database",
    },
    Isolated {
        names: &["hickory-resolver"],
        gates: &["tools-egress"],
        why: "whoever takes only the file tools compiles no resolver",
    },
    Isolated {
        names: &["scraper", "cssparser", "selectors"],
        gates: &["tools-web"],
        why: "whoever takes only the file tools compiles no parser of pages",
    },
    Isolated {
        names: &["tokenizers", "tract-onnx"],
        gates: &["tools-embed"],
        why: "models of meaning bring a hundred packages",
    },
    Isolated { names: &["tree-sitter"], gates: &["tools-code"], why: "grammars are C code and slow to build" },
];

/// Packages that are forbidden, with the reason.
const BANNED: &[(&str, &str)] = &[
    ("openssl-sys", "TLS is rustls with ring, which needs no system library"),
    ("native-tls", "TLS is rustls with ring, which needs no system library"),
    ("aws-lc-sys", "a second cryptography library in C; ring is the one"),
];

/// The dev-dependency that every crate may use, whatever its rank.
const TEST_KIT: &str = "tools-testkit";
const FACADE: &str = "haft";
const BENCHES: &str = "tools-bench";
const FUZZING: &str = "tools-fuzz";
const CHORES: &str = "xtask";

/// The rank of a crate of this workspace; `None` for an unknown name.
fn rank(name: &str) -> Option<u8> {
    match name {
        "tools-core" | "tools-automata" | "tools-tls" => Some(0),
        "tools-catalog" | "tools-command" | "tools-egress" | "tools-sandbox" | "tools-secrets" | "tools-store"
        | TEST_KIT => Some(1),
        // The agent loop uses the trait of the models, and the listener serves the sessions of the
        // server. The proxy of commands queries the rules and writes the record. A team uses the
        // state of other crates through their traits, including saved conversations.
        "tools-agent" | "tools-egress-proxy" | "tools-mcp-http" => Some(3),
        "tools-team" => Some(4),
        FACADE => Some(5),
        "haft-serve" => Some(6),
        "haft-cli" | BENCHES | FUZZING => Some(7),
        other if other.starts_with("tools-") => Some(2),
        _ => None,
    }
}

/// Whether a crate is unpublished and may use every other crate.
fn is_at_the_top(name: &str) -> bool {
    matches!(name, BENCHES | FUZZING)
}

/// Checks the workspace and prints every finding.
pub(crate) fn run() -> Result<(), Failure> {
    let graph = Graph::of_workspace()?;
    let findings = findings(&graph);
    for finding in &findings {
        eprintln!("layering: {finding}");
    }
    match findings.len() {
        0 => {
            println!("layering: {} crates, every edge goes down", graph.members.len());
            Ok(())
        }
        count => Err(Failure::Found(format!("layering: findings: {count}"))),
    }
}

/// The findings in the graph.
fn findings(graph: &Graph) -> Vec<String> {
    let mut found = Vec::new();
    for (id, package) in graph.member_packages().filter(|(_, package)| package.name != CHORES) {
        match rank(&package.name) {
            Some(rank) => found.extend(member_edges(graph, package, rank)),
            None => found.push(format!("`{}` has no rank: add it to the table in xtask/src/layering.rs", package.name)),
        }
        found.extend(ISOLATED.iter().filter_map(|rule| reaches_isolated(graph, id, rule)));
    }
    found.extend(BANNED.iter().filter_map(|(name, why)| banned(graph, name, why)));
    found
}

fn member_edges(graph: &Graph, package: &Package, rank: u8) -> Vec<String> {
    package
        .edges
        .iter()
        .filter(|edge| graph.members.contains(&edge.to) && graph.name(&edge.to) != package.name)
        .filter_map(|edge| broken_rule(&package.name, rank, graph.name(&edge.to), edge))
        .map(|(to, why)| format!("{} -> {to}: {why}", package.name))
        .collect()
}

/// The rule that an edge between two crates of the workspace breaks, if any.
fn broken_rule<'a>(from: &str, from_rank: u8, to: &'a str, edge: &Edge) -> Option<(&'a str, String)> {
    let why = if to == CHORES {
        "nothing depends on the chores".to_owned()
    } else if to == FACADE && from.starts_with("tools-") && !is_at_the_top(from) {
        "a `tools-*` crate never depends on the facade".to_owned()
    } else if to == TEST_KIT {
        if edge.is_shipped() && !is_at_the_top(from) {
            "the test kit is a dev-dependency only".to_owned()
        } else {
            return None;
        }
    } else {
        match rank(to) {
            Some(to_rank) if to_rank < from_rank => return None,
            Some(to_rank) => {
                let section =
                    if edge.kinds.contains(&Kind::Normal) { "a dependency" } else { "a build or dev-dependency" };
                format!("{section} goes to a lower rank, and this one goes from {from_rank} to {to_rank}")
            }
            None => return None,
        }
    };
    Some((to, why))
}

/// A path from a member to an isolated package that passes none of its gates.
fn reaches_isolated(graph: &Graph, from: &str, rule: &Isolated) -> Option<String> {
    if rule.gates.contains(&graph.name(from)) {
        return None;
    }
    let path = shortest_path(graph, from, |name| rule.names.contains(&name), |name| !rule.gates.contains(&name))?;
    Some(format!("{}: only {} may reach it, because {}", path.join(" -> "), rule.gates.join(", "), rule.why))
}

fn banned(graph: &Graph, name: &str, why: &str) -> Option<String> {
    let present = graph.packages.values().any(|package| package.name == name);
    if !present {
        return None;
    }
    let path = graph.members.iter().find_map(|member| shortest_path(graph, member, |found| found == name, |_| true));
    let path = path.map_or_else(|| name.to_owned(), |path| path.join(" -> "));
    Some(format!("{path}: banned, because {why}"))
}

/// The shortest path over shipped dependencies from a package to one with a wanted name, through
/// packages that may be passed.
fn shortest_path<'a>(
    graph: &'a Graph,
    from: &'a str,
    is_wanted: impl Fn(&str) -> bool,
    may_pass: impl Fn(&str) -> bool,
) -> Option<Vec<&'a str>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::from([(from, from)]);
    let mut pending = VecDeque::from([from]);
    while let Some(id) = pending.pop_front() {
        let name = graph.name(id);
        if id != from && is_wanted(name) {
            return Some(walk_back(graph, &came_from, id));
        }
        if !may_pass(name) {
            continue;
        }
        let Some(package) = graph.packages.get(id) else {
            continue;
        };
        for edge in package.edges.iter().filter(|edge| edge.is_shipped()) {
            if !came_from.contains_key(edge.to.as_str()) {
                came_from.insert(&edge.to, id);
                pending.push_back(&edge.to);
            }
        }
    }
    None
}

fn walk_back<'a>(graph: &'a Graph, came_from: &BTreeMap<&'a str, &'a str>, to: &'a str) -> Vec<&'a str> {
    let mut path = vec![graph.name(to)];
    let mut id = to;
    while let Some(previous) = came_from.get(id).filter(|previous| **previous != id) {
        id = previous;
        path.push(graph.name(id));
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests;
