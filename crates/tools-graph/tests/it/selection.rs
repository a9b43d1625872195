//! The list that a session sends begins with the bytes of the one before.

use std::sync::Arc;

use proptest::prelude::*;
use tools_core::ToolDef;
use tools_graph::{Bm25, Query, ToolFilterMode, ToolSchemaFilter, ToolSelection};

use crate::support::{config, names, tool, tools};

/// Every byte that a provider would see of the list, without what ends it.
fn serialised(selection: &ToolSelection) -> String {
    let line = |tool: &Arc<ToolDef>| format!("{} {} {}\n", tool.name, tool.description, tool.input.as_value());
    selection.tools().map(line).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    #[test]
    fn the_list_only_grows_while_tools_come_and_go(
        turns in proptest::collection::vec((proptest::collection::vec(any::<bool>(), 30), 0_usize..30, any::<bool>()), 25..50),
    ) {
        let all: Vec<_> = (0..30).map(|n| tool(&format!("tool{n}"), &format!("about subject{n} and the world"))).collect();
        let filter = ToolSchemaFilter::new(&config(3).compile().unwrap(), Arc::new(Bm25::new(&all)));
        let mut selection = ToolSelection::new(ToolFilterMode::Append, tools(&["zz", "core", "aa"]));
        let mut before = serialised(&selection);
        prop_assert!(before.starts_with("aa "));
        for (present, subject, changed) in turns {
            let mut here: Vec<_> =
                all.iter().zip(present).filter(|(_, present)| *present).map(|(tool, _)| Arc::clone(tool)).collect();
            here.reverse();
            if changed && let Some(first) = here.first_mut() {
                *first = tool(first.name.as_str(), "another text of the server");
            }
            let text = format!("subject{subject}");
            selection.turn(&here, &filter.filter(&here, &Query::new(&text)));
            let now = serialised(&selection);
            prop_assert!(now.starts_with(&before), "{before}\n--\n{now}");
            before = now;
        }
    }
}

#[test]
fn the_mode_says_what_becomes_of_the_chosen_tools() {
    let all = tools(&["alpha", "beta"]);
    let filter = ToolSchemaFilter::new(&config(1).compile().unwrap(), Arc::new(Bm25::new(&all)));
    let run = |mode| {
        let mut selection = ToolSelection::new(mode, tools(&["core"]));
        for text in ["alpha", "beta"] {
            selection.turn(&all, &filter.filter(&all, &Query::new(text)));
        }
        selection
    };
    let listed =
        |selection: &ToolSelection| selection.tools().map(|tool| tool.name.to_string()).collect::<Vec<_>>().join(" ");
    assert_eq!(listed(&run(ToolFilterMode::Append)), "core alpha beta");
    assert_eq!(listed(&run(ToolFilterMode::Replace)), "core beta");
    let mut asked = run(ToolFilterMode::Search);
    assert_eq!(listed(&asked), "core");
    asked.request(&all, &names(&["beta", "none"]));
    assert_eq!(listed(&asked), "core beta");
    asked.compact();
    assert_eq!(listed(&asked), "core");
}
