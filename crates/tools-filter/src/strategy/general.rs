//! Stages for the output of any command, with or without a rule. They use only the form of the
//! lines.

use super::{
    Reducer,
    again::{RepeatDetector, Same},
    alternatives::Alternatives,
    apt_lists::AptLists,
    blanks::Blanks,
    carets::Carets,
    code_frames::CodeFrames,
    command_lines::CommandLines,
    command_trace::CommandTrace,
    common_cells::CommonCells,
    data_blocks::DataBlocks,
    diff_context::DiffContext,
    earlier::EarlierBlocks,
    earlier_lines::EarlierLines,
    findings::Findings,
    hits::HitLines,
    library_notes::LibraryNotes,
    library_warnings::LibraryWarnings,
    log_kinds::LogKinds,
    long_lists::LongLists,
    margins::Margins,
    opaque::Opaque,
    packed::PackedFiles,
    passing::PassingTests,
    passing_groups::PassingGroups,
    path_runs::{PathRuns, Paths},
    process_marks::ProcessMarks,
    rulers::Rulers,
    runs::CountingRun,
    series::Series,
    similar::SimilarLines,
    sketches::Sketches,
    snippets::Snippets,
    stack_trace::StackTraces,
    structured::Structured,
    table_blanks::TableBlanks,
    tap::Tap,
    trees::Trees,
    usage::Usage,
};
use crate::ParsedCommand;

/// Stages after a rule for a file list: only those that keep every name.
pub(crate) fn of_listing() -> Vec<Box<dyn Reducer>> {
    vec![Box::new(Series::of_names()), Box::new(PathRuns::new(Paths::Any)), Box::<Alternatives>::default()]
}

/// Stages after a rule for a table or a log: only those that drop useless lines.
pub(crate) fn of_tables(command: &ParsedCommand) -> Vec<Box<dyn Reducer>> {
    vec![
        Box::new(Usage::new(command)),
        Box::<Alternatives>::default(),
        Box::<LongLists>::default(),
        Box::<CommonCells>::default(),
    ]
}

/// Stages before the rule of a command, which may rewrite findings.
pub(crate) fn before_rules() -> Vec<Box<dyn Reducer>> {
    vec![
        Box::<Structured>::default(),
        Box::<Margins>::default(),
        Box::<CommandTrace>::default(),
        Box::<PassingGroups>::default(),
        Box::<LibraryNotes>::default(),
    ]
}

/// The stage for search hits among the output of other commands.
pub(crate) fn of_hits() -> Box<dyn Reducer> {
    Box::<HitLines>::default()
}

/// The name under which outputs without a rule are counted.
pub(crate) const NAME: &str = "general";

/// The stages, in order. A rule that knows tests handles passed tests itself.
pub(crate) fn start(command: &ParsedCommand, has_rule: bool, knows_tests: bool) -> Vec<Box<dyn Reducer>> {
    let is_unknown = !has_rule || runs_script(command);
    let mut stages: Vec<Box<dyn Reducer>> = vec![
        Box::<DiffContext>::default(),
        Box::<Trees>::default(),
        Box::<PackedFiles>::default(),
        Box::<LibraryWarnings>::default(),
        Box::<Tap>::default(),
        Box::new(PassingTests::new(!knows_tests)),
        Box::new(Usage::new(command)),
        Box::<AptLists>::default(),
        Box::<StackTraces>::default(),
        Box::<Opaque>::default(),
        Box::<LogKinds>::default(),
        Box::<CommandLines>::default(),
        Box::<Carets>::default(),
        Box::<CodeFrames>::default(),
        Box::<Sketches>::default(),
        Box::<Snippets>::default(),
        Box::new(RepeatDetector::new(Same::Exactly)),
        Box::<Series>::default(),
        Box::new(PathRuns::new(Paths::Absolute)),
        Box::<CountingRun>::default(),
        Box::new(RepeatDetector::new(Same::Counting)),
    ];
    stages.push(Box::new(Blanks::new(has_rule)));
    if is_unknown {
        stages.push(Box::new(RepeatDetector::new(Same::ButForNumbers)));
    }
    stages.push(Box::<ProcessMarks>::default());
    stages.push(Box::<Alternatives>::default());
    // It compares the columns, which the next stage narrows.
    stages.push(Box::<LongLists>::default());
    stages.push(Box::<TableBlanks>::default());
    stages.push(Box::<SimilarLines>::default());
    stages.push(Box::<Rulers>::default());
    stages.push(Box::<Findings>::default());
    stages.push(Box::<DataBlocks>::default());
    stages.push(Box::<EarlierBlocks>::default());
    stages.push(Box::<EarlierLines>::default());
    stages.push(Box::<CommonCells>::default());
    stages
}

/// Whether the command runs a user's program: its rule covers what the interpreter or the build
/// prints, but not what the program prints.
fn runs_script(command: &ParsedCommand) -> bool {
    // `python -m module` counts as the module.
    let typed = command.typed.split(' ').next().and_then(|program| program.rsplit('/').next()).unwrap_or_default();
    let words: Vec<&str> = command.words.iter().map(String::as_str).take(2).collect();
    match words.as_slice() {
        _ if SCRIPT_PROGRAMS.contains(&typed) => true,
        [program, ..] if SCRIPT_PROGRAMS.contains(program) => true,
        [program, verb] => RUN_VERBS.contains(&(*program, *verb)),
        _ => false,
    }
}

/// Interpreters that have a rule.
const SCRIPT_PROGRAMS: &[&str] = &["python", "python3", "ipython", "pypy", "node", "deno", "bun", "ts-node", "tsx"];
/// Commands that build a program and run it.
const RUN_VERBS: &[(&str, &str)] = &[
    ("cargo", "run"),
    ("go", "run"),
    ("docker", "run"),
    ("npm", "run"),
    ("npm", "start"),
    ("yarn", "run"),
    ("pnpm", "run"),
    ("dotnet", "run"),
];
