//! What is done with the output of any command, whether or not a rule is about it: what can be told from its form alone.

use super::{
    Reducer,
    again::{Again, Same},
    findings::Findings,
    passing::Passing,
    runs::Counting,
    series::Series,
    snippets::Snippets,
    stack_trace::StackTraces,
    table_blanks::TableBlanks,
    tap::Tap,
};

/// The name under which this is counted where no rule is about a command.
pub(crate) const NAME: &str = "general";

/// The stages, in order; where a rule is about the tests themselves, those that passed are left to it.
pub(crate) fn start(has_rule: bool, knows_tests: bool) -> Vec<Box<dyn Reducer>> {
    let mut stages: Vec<Box<dyn Reducer>> = vec![
        Box::<Tap>::default(),
        Box::new(Passing::new(!knows_tests)),
        Box::<StackTraces>::default(),
        Box::<Snippets>::default(),
        Box::new(Again::new(Same::Exactly)),
        Box::<Counting>::default(),
        Box::<Series>::default(),
    ];
    if !has_rule {
        stages.push(Box::new(Again::new(Same::ButForNumbers)));
        stages.push(Box::<TableBlanks>::default());
    }
    stages.push(Box::<Findings>::default());
    stages
}
