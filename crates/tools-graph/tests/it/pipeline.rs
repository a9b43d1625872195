//! Which tools a turn shows, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use tools_graph::{
    Bm25, EmbeddingScorer, FusedScorer, Grams, InclusionReason, Query, Scorer, ToolDependencyGraph, ToolFilterConfig,
    ToolSchemaFilter,
};

use InclusionReason::{
    AlwaysOn, DependencyMet, NameMentioned, NoEmbedding, PreferenceBoost, ShortDescription, SimilarityRank,
};

use crate::support::{Letters, config, fixed, name, names, rules, tool, tools};

#[test]
fn each_reason_is_asked_for_in_its_order() {
    let mut all = tools(&["always", "named", "unknown", "best", "second", "third"]);
    all.push(tool("short", "two words"));
    let scores = [("always", 0.9), ("named", 0.9), ("short", 0.9), ("best", 0.8), ("second", 0.7), ("third", 0.6)];
    let config = ToolFilterConfig { always_on: vec!["always".to_owned(), "absent".to_owned()], ..config(2) };
    let filter = ToolSchemaFilter::new(&config.compile().unwrap(), fixed(&scores));
    let result = filter.filter(&all, &Query::new("please use named"));
    let found: Vec<_> = result.included.iter().map(|(tool, reasons)| (tool.as_str(), reasons.as_slice())).collect();
    let expected: [(&str, &[InclusionReason]); 6] = [
        ("always", &[AlwaysOn]),
        ("best", &[SimilarityRank]),
        ("named", &[NameMentioned]),
        ("second", &[SimilarityRank]),
        ("short", &[ShortDescription]),
        ("unknown", &[NoEmbedding]),
    ];
    assert_eq!(found, expected);
    assert_eq!(result.excluded, [name("third")]);
    assert!(filter.policy().status(6).unwrap().starts_with("Filter: top_k=2, always_on=2, embeddings=6"));
}

#[test]
fn a_tool_is_named_by_a_whole_word() {
    let all: Vec<_> = ["read_file", "Read_File", "other"].iter().map(|text| tool(text, "one two three four")).collect();
    let filter = ToolSchemaFilter::new(
        &config(1).compile().unwrap(),
        fixed(&[("read_file", 0.0), ("Read_File", 0.0), ("other", 0.0)]),
    );
    let check = |text: &str, expected: bool| {
        let result = filter.filter(&all, &Query::new(text));
        for name in ["read_file", "Read_File"] {
            assert_eq!(result.included.contains_key(name), expected, "{text:?}");
        }
    };
    check("use read_file now", true);
    check("`Read_File`", true);
    check("(read_file)", true);
    check("read_files", false);
    check("pre-read_file", false);
    check("read file", false);
    check("", false);
}

#[test]
fn a_filter_sees_each_change_of_its_list() {
    let known = [("a", 0.9), ("b", 0.8)];
    let filter = ToolSchemaFilter::new(&config(1).compile().unwrap(), fixed(&known));
    let shown = |all: &[Arc<tools_core::ToolDef>]| {
        filter.filter(all, &Query::new("x")).included.into_keys().collect::<Vec<_>>()
    };
    let (first, second) = (tools(&["a", "b"]), tools(&["b", "c"]));
    assert_eq!(shown(&first), [name("a")]);
    assert_eq!(shown(&second), [name("b"), name("c")], "nothing is known of `c`");
    assert_eq!(shown(&first[1..]), [name("b")]);
    let short = [Arc::clone(&first[0]), tool("b", "short")];
    assert_eq!(shown(&short), [name("a"), name("b")]);
    assert_eq!(shown(&first), [name("a")]);
}

#[test]
fn a_query_that_cannot_be_judged_shows_everything() {
    let all = tools(&["a", "b", "c"]);
    let filter = ToolSchemaFilter::new(&config(1).compile().unwrap(), fixed(&[("a", 0.1), ("b", 0.2), ("c", 0.3)]));
    let result = filter.filter(&all, &Query::new("unjudged"));
    assert_eq!((result.included.len(), result.excluded.len()), (3, 0));
    let off = ToolFilterConfig { enabled: false, ..config(1) };
    let filter = ToolSchemaFilter::new(&off.compile().unwrap(), fixed(&[("a", 0.1)]));
    assert_eq!(filter.filter(&all, &Query::new("x")).included.len(), 3);
    assert_eq!(filter.policy().status(3), None);
}

#[test]
fn tools_that_are_gone_take_no_place() {
    let scores = [("gone", 0.9), ("gone2", 0.8), ("here", 0.5), ("other", 0.4)];
    let filter = ToolSchemaFilter::new(&config(1).compile().unwrap(), fixed(&scores));
    let result = filter.filter(&tools(&["here", "other"]), &Query::new("x"));
    assert_eq!(result.included.keys().collect::<Vec<_>>(), [&name("here")]);
}

#[test]
fn a_preferred_tool_comes_in_from_behind_the_last_place() {
    let all = tools(&["a", "b", "build"]);
    let filter = ToolSchemaFilter::new(&config(1).compile().unwrap(), fixed(&[("a", 0.5), ("b", 0.4), ("build", 0.1)]));
    let (graph, faults) =
        ToolDependencyGraph::new(&rules(&[], &[("b", &["build"])]), &names(&["a", "b", "build"]), &names(&[]));
    assert!(faults.is_empty());
    let before = graph.prerequisites(&names(&[]));
    let result = filter.filter_with(&all, &Query::new("x").boosting(before.boosts().clone()), &before);
    assert_eq!(result.included.keys().collect::<Vec<_>>(), [&name("a")]);
    let after = graph.prerequisites(&names(&["build"]));
    let result = filter.filter_with(&all, &Query::new("x").boosting(after.boosts().clone()), &after);
    assert_eq!(result.included[&name("b")], [SimilarityRank, PreferenceBoost]);
}

#[test]
fn what_needs_another_tool_is_shown_after_it_succeeded() {
    let all = tools(&["deploy", "build", "named", "always"]);
    let scores = [("deploy", 0.9), ("build", 0.8), ("named", 0.1), ("always", 0.1)];
    let config = ToolFilterConfig { always_on: vec!["always".to_owned()], ..config(2) };
    let filter = ToolSchemaFilter::new(&config.compile().unwrap(), fixed(&scores));
    let known = names(&["deploy", "build", "named", "always"]);
    let (graph, _) = ToolDependencyGraph::new(
        &rules(&[("deploy", &["build"]), ("named", &["build"])], &[]),
        &known,
        &names(&["always"]),
    );
    let query = Query::new("call named");
    let result = filter.filter_with(&all, &query, &graph.prerequisites(&names(&[])));
    assert_eq!(result.dependency_exclusions.len(), 1);
    assert_eq!(result.dependency_exclusions[0].tool, name("deploy"));
    assert_eq!(result.dependency_exclusions[0].missing, [name("build")]);
    assert_eq!(result.included[&name("named")], [NameMentioned]);
    let result = filter.filter_with(&all, &query, &graph.prerequisites(&names(&["build"])));
    assert_eq!(result.included[&name("deploy")], [SimilarityRank, DependencyMet]);
}

#[test]
fn prerequisites_are_dropped_only_where_nothing_could_be_called() {
    let known = names(&["deploy", "other"]);
    let (graph, _) = ToolDependencyGraph::new(&rules(&[("deploy", &["other"])], &[]), &known, &names(&[]));
    let needs = graph.prerequisites(&names(&[]));
    let filter = ToolSchemaFilter::new(&config(1).compile().unwrap(), fixed(&[("deploy", 0.9), ("other", 0.1)]));
    let result = filter.filter_with(&tools(&["deploy"]), &Query::new("x"), &needs);
    assert_eq!(result.included.len(), 1, "nothing else is there");
    let with_always = ToolFilterConfig { always_on: vec!["other".to_owned()], ..config(1) };
    let filter = ToolSchemaFilter::new(&with_always.compile().unwrap(), fixed(&[("deploy", 0.9), ("other", 0.1)]));
    let result = filter.filter_with(&tools(&["deploy", "other"]), &Query::new("x"), &needs);
    assert_eq!(result.included.keys().collect::<Vec<_>>(), [&name("other")]);
}

#[test]
fn values_that_make_no_sense_are_refused_by_key() {
    let check = |config: ToolFilterConfig, expected: &str| {
        assert_eq!(config.compile().unwrap_err().to_string(), expected);
    };
    check(ToolFilterConfig { min_score: f32::NAN, ..config(1) }, "`min_score`: `NaN` is not a number from 0 to 1");
    check(config(0), "`top_k`: `0` is not a number from 1 to 10000");
    let bad = ToolFilterConfig { always_on: vec!["a b".to_owned()], ..config(1) };
    assert!(bad.compile().unwrap_err().to_string().starts_with("`always_on`: `a b` is not a tool name"));
}

#[test]
fn the_section_has_the_documented_defaults() {
    let config: ToolFilterConfig = toml::from_str("").unwrap();
    assert!(!config.enabled);
    assert_eq!((config.top_k, config.min_description_words), (10, 3));
    assert_eq!(config.always_on, ["memory_search", "memory_save", "load_skill", "scheduler"]);
    assert!(toml::from_str::<ToolFilterConfig>("topk = 1").is_err());
}

#[test]
fn words_pieces_and_their_fusion_find_what_is_meant() {
    let all = [
        tool("get_weather", "Tells the weather forecast of a city"),
        tool("send_mail", "Sends an electronic mail to a person"),
        tool("convertCurrency", "Converts an amount of money between currencies"),
    ];
    let scorers: [Arc<dyn Scorer>; 2] = [Arc::new(Bm25::new(&all)), Arc::new(Grams::new(&all))];
    let fused: Arc<dyn Scorer> = Arc::new(FusedScorer::new(scorers.to_vec()));
    for scorer in scorers.iter().chain([&fused]) {
        let best = |query: &str| {
            let found = scorer.score(query).unwrap();
            let fitting = found.iter().filter(|(_, score)| *score > 0.0);
            fitting.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, _)| name.as_str().to_owned())
        };
        assert_eq!(best("weather in Paris?").as_deref(), Some("get_weather"), "{scorer:?}");
        assert_eq!(best("mailing to Ann").as_deref(), Some("send_mail"), "{scorer:?}");
        assert_eq!(best("what is that in another currency").as_deref(), Some("convertCurrency"), "{scorer:?}");
        assert_eq!(best(""), None, "{scorer:?}");
    }
    let misspelt = Grams::new(&all).score("forcast").unwrap();
    assert!(misspelt.get(&name("get_weather")).unwrap() > 0.0, "a misspelt word is found by its pieces");
    assert_eq!(misspelt.get(&name("send_mail")), Some(0.0));
    assert_eq!(misspelt.get(&name("absent")), None);
}

#[test]
fn an_embedding_ranks_and_its_absence_shows_everything() {
    let all = [tool("zzz", "zz zz zz zz"), tool("abc", "aa bb cc aa")];
    let scorer = EmbeddingScorer::new(&all, Arc::new(Letters));
    assert_eq!(scorer.embeddings(), 2);
    let filter = ToolSchemaFilter::new(&config(1).compile().unwrap(), Arc::new(scorer));
    let result = filter.filter(&all, &Query::new("zzzz"));
    assert_eq!(result.included.keys().collect::<Vec<_>>(), [&name("zzz")]);
    assert_eq!(filter.filter(&all, &Query::new("123")).included.len(), 2);
}

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

proptest! {
    #[test]
    fn every_tool_stands_in_exactly_one_list(
        top_k in 1_usize..5,
        scores in proptest::collection::btree_map(0_usize..6, 0.0_f32..1.0, 0..6),
        needs in proptest::collection::vec((0_usize..6, 0_usize..6), 0..5),
        done in proptest::collection::btree_set(0_usize..6, 0..3),
        always in proptest::collection::btree_set(0_usize..6, 0..2),
        text in "[a-h ]{0,6}",
    ) {
        let all = tools(&NAMES);
        let pick = |numbers: &BTreeSet<usize>| numbers.iter().map(|&n| NAMES[n]).collect::<Vec<_>>();
        let config = ToolFilterConfig {
            always_on: pick(&always).into_iter().map(str::to_owned).collect(),
            ..config(top_k)
        };
        let scorer = fixed(&scores.iter().map(|(&n, &score)| (NAMES[n], score)).collect::<Vec<_>>());
        let filter = ToolSchemaFilter::new(&config.compile().unwrap(), scorer);
        let mut requires: BTreeMap<&str, Vec<&str>> = BTreeMap::default();
        for (tool, need) in needs {
            requires.entry(NAMES[tool]).or_default().push(NAMES[need]);
        }
        let requires: Vec<_> = requires.iter().map(|(tool, need)| (*tool, need.as_slice())).collect();
        let (graph, _) = ToolDependencyGraph::new(&rules(&requires, &[]), &names(&NAMES), &names(&pick(&always)));
        let needs = graph.prerequisites(&names(&pick(&done)));
        let query = Query::new(&text);
        let result = filter.filter_with(&all, &query, &needs);
        for tool in &all {
            let places = [
                result.included.contains_key(&tool.name),
                result.excluded.contains(&tool.name),
                result.dependency_exclusions.iter().any(|exclusion| exclusion.tool == tool.name),
            ];
            prop_assert_eq!(places.iter().filter(|&&is_there| is_there).count(), 1, "{} in {:?}", &tool.name, &result);
        }
        prop_assert!(!result.included.is_empty(), "something can always be called");
        for always in pick(&always) {
            prop_assert!(result.included.contains_key(always));
        }
        let ranked = result.included.values().filter(|reasons| reasons.contains(&SimilarityRank)).count();
        prop_assert!(ranked <= top_k);
        for reasons in result.included.values() {
            prop_assert!(!reasons.is_empty() && reasons.is_sorted());
        }
    }
}
