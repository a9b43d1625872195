//! What is done with the output of any command, whether or not a rule is about it: what can be told
//! from its form alone.

use super::{
    Reducer,
    again::{RepeatDetector, Same},
    apt_lists::AptLists,
    blanks::Blanks,
    command_lines::CommandLines,
    findings::Findings,
    passing::PassingTests,
    path_runs::{PathRuns, Paths},
    rulers::Rulers,
    runs::CountingRun,
    series::Series,
    snippets::Snippets,
    stack_trace::StackTraces,
    table_blanks::TableBlanks,
    tap::Tap,
    usage::Usage,
};
use crate::ParsedCommand;

/// What is done behind the rule of a list of files: nothing but what keeps every name.
pub(crate) fn of_listing() -> Vec<Box<dyn Reducer>> {
    vec![Box::<Series>::default(), Box::new(PathRuns::new(Paths::Any))]
}

/// The name under which this is counted where no rule is about a command.
pub(crate) const NAME: &str = "general";

/// The stages, in order; where a rule is about the tests themselves, those that passed are left to
/// it.
pub(crate) fn start(command: &ParsedCommand, has_rule: bool, knows_tests: bool) -> Vec<Box<dyn Reducer>> {
    let mut stages: Vec<Box<dyn Reducer>> = vec![
        Box::<Tap>::default(),
        Box::new(PassingTests::new(!knows_tests)),
        Box::new(Usage::new(command)),
        Box::<AptLists>::default(),
        Box::<StackTraces>::default(),
        Box::<CommandLines>::default(),
        Box::<Snippets>::default(),
        Box::new(RepeatDetector::new(Same::Exactly)),
        Box::<Series>::default(),
        Box::new(PathRuns::new(Paths::Absolute)),
        Box::<CountingRun>::default(),
        Box::new(RepeatDetector::new(Same::Counting)),
    ];
    if has_rule {
        stages.push(Box::<Blanks>::default());
    } else {
        stages.push(Box::new(RepeatDetector::new(Same::ButForNumbers)));
        stages.push(Box::<TableBlanks>::default());
    }
    stages.push(Box::<Rulers>::default());
    stages.push(Box::<Findings>::default());
    stages
}
