//! What is wrong with rules is put right when the graph is made, and named.

use tools_graph::{DependenciesConfig, DependencyFault, ToolDependencyGraph};

use crate::support::{name, names, rules};

#[test]
fn members_of_overlapping_cycles_are_found_on_every_run() {
    let rules = rules(&[("a", &["b", "c"]), ("b", &["a"]), ("c", &["b"]), ("d", &["a"]), ("e", &["e"])], &[]);
    for _ in 0..100 {
        let (graph, faults) = ToolDependencyGraph::new(&rules, &names(&["a", "b", "c", "d", "e"]), &names(&[]));
        let cycle = |texts: &[&str]| DependencyFault::Cycle(texts.iter().map(|text| name(text)).collect());
        assert_eq!(faults, [cycle(&["a", "b", "c"]), cycle(&["e"])]);
        let needs = graph.prerequisites(&names(&[]));
        for member in ["a", "b", "c", "e"] {
            assert_eq!(needs.missing(&name(member)), [], "{member}");
        }
        assert_eq!(needs.missing(&name("d")), [name("a")], "it is in no cycle");
    }
}

#[test]
fn rules_that_name_no_tool_are_dropped_with_the_nearest_name() {
    let (graph, faults) = ToolDependencyGraph::new(
        &rules(&[("deploi", &["build"]), ("deploy", &["biuld", "build"])], &[]),
        &names(&["deploy", "build"]),
        &names(&[]),
    );
    let texts: Vec<_> = faults.iter().map(ToString::to_string).collect();
    let expected = [
        "`tools.dependencies.rules.deploi` names `deploi`, which is not a tool; the nearest is `deploy`",
        "`tools.dependencies.rules.deploy.requires` names `biuld`, which is not a tool; the nearest is `build`",
    ];
    assert_eq!(texts, expected);
    assert_eq!(graph.prerequisites(&names(&[])).missing(&name("deploy")), [name("build")]);
}

#[test]
fn rules_may_use_other_names_of_tools() {
    let (graph, faults) =
        ToolDependencyGraph::new(&rules(&[("search", &["shell"])], &[]), &names(&["bash", "grep"]), &names(&[]));
    assert_eq!(faults, []);
    assert_eq!(graph.prerequisites(&names(&[])).missing(&name("grep")), [name("bash")]);
}

#[test]
fn a_tool_that_is_always_on_needs_nothing() {
    let (graph, faults) = ToolDependencyGraph::new(&rules(&[("a", &["b"])], &[]), &names(&["a", "b"]), &names(&["a"]));
    assert_eq!(faults, [DependencyFault::AlwaysOn(name("a"))]);
    assert_eq!(graph.prerequisites(&names(&[])).missing(&name("a")), []);
}

#[test]
fn boosts_are_added_up_to_the_cap() {
    let known = names(&["a", "b", "c", "d"]);
    let (graph, _) = ToolDependencyGraph::new(&rules(&[], &[("a", &["b", "c", "d"])]), &known, &names(&[]));
    let boost = |done: &[&str]| graph.prerequisites(&names(done)).boosts().get("a").copied().unwrap_or_default();
    for (done, expected) in [(&[][..], 0.0), (&["b"], 0.15), (&["b", "c"], 0.20), (&["b", "c", "d"], 0.20)] {
        assert!((boost(done) - expected).abs() < 1e-6, "{done:?}");
    }
    let odd = DependenciesConfig { boost_per_dep: f32::INFINITY, max_total_boost: f32::NAN, ..rules(&[], &[]) };
    let (_, faults) = ToolDependencyGraph::new(&odd, &known, &names(&[]));
    assert_eq!(faults, [DependencyFault::Boost("boost_per_dep"), DependencyFault::Boost("max_total_boost")]);
}

#[test]
fn nothing_is_asked_for_while_the_section_is_off() {
    let off = DependenciesConfig { enabled: false, ..rules(&[("a", &["b"])], &[]) };
    let (graph, faults) = ToolDependencyGraph::new(&off, &names(&["a"]), &names(&[]));
    assert!(faults.is_empty());
    assert_eq!(graph.prerequisites(&names(&[])).missing(&name("a")), []);
}
