//! The names that a table of programs is written with.

pub(super) use super::consequence::Consequence;
pub(super) use super::parsed::Parsed;
pub(super) use super::programs::registries::{FOR_USER, IDENTITY, PUBLISHES, SHOWS, WITHDRAWS};
pub(super) use super::spec::ArgumentCondition::{
    AtLeast, AtMost, Fed, First, FirstIsNot, Has, Lacks, Operand, OperandHas, OperandStarts, ValueHas, ValueStarts,
};
pub(super) use super::spec::Does::{
    By, ByOption, ChangesTrees, Connects, Decides, Deletes, DeletesTrees, Evaluates, Fetches, Follows, Hides, Is,
    NeedsNetwork, Obeys, ObeysAround, ObeysIn, Reads, ReadsTrees, RunsLine, RunsLineThere, RunsLineWithMore,
    RunsScript, RunsThere, RunsWithVariables, RunsWords, Says, Sets, StartsIn, Unpacks, Writes,
};
pub(super) use super::spec::{
    ArgumentCondition, At, Does, Example, Expect, More, Otherwise, Prints, Program, RUNS_OPERANDS, Rule, Style,
    Subcommand, Syntax, always, command, each, group, ruled, when, when_all,
};
pub(super) use crate::code::Language;
pub(super) use crate::effect::Effect;
