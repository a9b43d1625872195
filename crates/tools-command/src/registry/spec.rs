//! The format of a program's description: how its options are written, and what its arguments make
//! it do. It is plain data, so that people can read it as a table and tests can walk it.

use super::consequence::Consequence;
use super::parsed::Parsed;
use crate::code::Language;
use crate::effect::Effect;

/// Description of one program.
///
/// Take the fields that a program does not need from [`Program::GNU`] and its variants, depending
/// on the style of its options. The lists of options are those of [`Syntax`]: options before the
/// subcommand, which are accepted after it too unless the style is [`Style::Leading`]. Without
/// subcommands they are all options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program {
    /// Names of the program; rules are compared with the first one. A name that ends in `*` stands
    /// for every name with that beginning.
    pub(crate) names: &'static [&'static str],
    /// Used instead of `names` for several programs with the same description; rules are compared
    /// with the name as typed.
    pub(crate) family: &'static [&'static str],
    /// See [`Syntax::flags`].
    pub(crate) flags: &'static str,
    /// See [`Syntax::valued`].
    pub(crate) valued: &'static str,
    /// See [`Syntax::optional`].
    pub(crate) optional: &'static str,
    /// See [`Syntax::last`].
    pub(crate) last: &'static str,
    /// See [`Syntax::style`].
    pub(crate) style: Style,
    /// Options that name the folder it works in, separated by blanks. Paths are relative to their
    /// values.
    pub(crate) folder: &'static str,
    /// Rules about its arguments, for every subcommand.
    pub(crate) rules: &'static [Rule],
    /// Subcommands, separated by blanks, whose further arguments change how they do their work but
    /// not what the work is: a person who agrees to one call agrees to other calls.
    pub(crate) general: &'static str,
    /// Subcommands; empty if operands follow directly.
    pub(crate) subcommands: &'static [Subcommand],
    /// Further subcommands without notable effects, separated by blanks.
    pub(crate) plain: &'static str,
    /// Whether subcommands may be abbreviated unambiguously: `npm publ`.
    pub(crate) abbreviates: bool,
    /// Meaning of a subcommand that is not listed.
    pub(crate) otherwise: Otherwise,
    /// Whether the rules name everything that it reads, changes and runs. Otherwise the program may
    /// touch anything in the workspace.
    pub(crate) is_exhaustive: bool,
    /// Whether it builds its output from the sources of the workspace. Running that output in the
    /// same line is no more than running the workspace's own code.
    pub(crate) builds: bool,
    /// Whether it changes files in place, as a formatter does, or restores earlier versions. A line
    /// that then runs such a file runs what the workspace had before.
    pub(crate) edits: bool,
    /// Kind of output by program name; names are separated by blanks. [`Prints::Anything`] for
    /// names that are not listed.
    pub(crate) prints: &'static [(&'static str, Prints)],
    /// Program names, separated by blanks, whose output has the format of another command, and the
    /// words of that command.
    pub(crate) prints_as: &'static [(&'static str, &'static str)],
    /// Lines with an expected finding each; a description needs at least one line here or below.
    #[cfg_attr(not(test), expect(dead_code, reason = "they are for the tests"))]
    pub(crate) examples: &'static [Example],
    /// Lines that cause no question and have no opaque part.
    #[cfg_attr(not(test), expect(dead_code, reason = "they are for the tests"))]
    pub(crate) plain_lines: &'static [&'static str],
}

impl Program {
    /// A program without options or notable effects, in the style of [`Syntax::GNU`].
    pub(crate) const GNU: Self = Self {
        names: &[],
        family: &[],
        flags: "",
        valued: "",
        optional: "",
        last: "",
        style: Style::Gnu,
        folder: "",
        rules: &[],
        general: "",
        subcommands: &[],
        plain: "",
        abbreviates: false,
        otherwise: Otherwise::Plain,
        is_exhaustive: false,
        builds: false,
        edits: false,
        prints: &[],
        prints_as: &[],
        examples: &[],
        plain_lines: &[],
    };
    /// The same in the style of [`Syntax::LEADING`].
    pub(crate) const LEADING: Self = Self { style: Style::Leading, ..Self::GNU };
    /// The same in the style of [`Syntax::EXACT`].
    pub(crate) const EXACT: Self = Self { style: Style::Exact, ..Self::GNU };
    /// The same in the style of [`Syntax::SINGLE`].
    pub(crate) const SINGLE: Self = Self { style: Style::Single, ..Self::GNU };

    /// Every name of the program.
    pub(crate) fn all_names(&self) -> &'static [&'static str] {
        if self.family.is_empty() { self.names } else { self.family }
    }

    /// The program's own options.
    pub(crate) const fn syntax(&self) -> Syntax {
        let Self { flags, valued, optional, last, style, .. } = *self;
        Syntax { flags, valued, optional, last, style }
    }
}

/// One subcommand, or a word after one: `remote` and, in it, `add`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subcommand {
    /// Names separated by blanks are different subcommands with the same description. Spellings of
    /// one subcommand are joined by `|`, and rules are compared with the first: `add install|i`.
    pub(crate) names: &'static str,
    /// Its own options.
    pub(crate) syntax: Syntax,
    /// Rules about its arguments.
    pub(crate) rules: &'static [Rule],
    /// Words that may follow and specify it further.
    pub(crate) subcommands: &'static [Subcommand],
    /// The equivalent words, including the program; `None` if the subcommand is no alias of others.
    pub(crate) is: Option<&'static str>,
}

impl Subcommand {
    /// A subcommand without notable effects.
    pub(crate) const NEW: Self = Self { names: "", syntax: Syntax::GNU, rules: &[], subcommands: &[], is: None };

    /// The spellings of each name, the first one first.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = std::str::Split<'static, char>> + use<> {
        self.names.split_ascii_whitespace().map(|spellings| spellings.split('|'))
    }
}

/// Subcommands without notable effects.
pub(crate) const fn each(names: &'static str) -> Subcommand {
    Subcommand { names, ..Subcommand::NEW }
}

/// Subcommands with these rules.
pub(crate) const fn ruled(names: &'static str, rules: &'static [Rule]) -> Subcommand {
    Subcommand { names, rules, ..Subcommand::NEW }
}

/// Subcommands with options of their own and these rules.
pub(crate) const fn command(names: &'static str, syntax: Syntax, rules: &'static [Rule]) -> Subcommand {
    Subcommand { names, syntax, rules, ..Subcommand::NEW }
}

/// Subcommands that have subcommands.
pub(crate) const fn group(names: &'static str, subcommands: &'static [Subcommand]) -> Subcommand {
    Subcommand { names, subcommands, ..Subcommand::NEW }
}

/// Syntax of options. Each text lists options, separated by blanks; spellings of the same option
/// are joined by `|`: `-f|--force -q|--quiet`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Syntax {
    /// Options without a value. `-#` matches a number: `-5`. `-l#` matches a letter that digits may
    /// follow in a cluster. A spelling that ends in `*` matches every argument with that beginning,
    /// and the rest is the value: `-D*`; it may begin with a plus: `+*`. `-*` matches every option
    /// that is not listed.
    pub(crate) flags: &'static str,
    /// Options with a value, attached or in the next argument.
    pub(crate) valued: &'static str,
    /// Options with an optional value, which is attached.
    pub(crate) optional: &'static str,
    /// Options with a value, attached or in the next argument, that end the options: the rest are
    /// operands.
    pub(crate) last: &'static str,
    /// Their style.
    pub(crate) style: Style,
}

impl Syntax {
    /// GNU: short options in clusters, long ones abbreviated unambiguously, options also after
    /// operands.
    pub(crate) const GNU: Self = Self { flags: "", valued: "", optional: "", last: "", style: Style::Gnu };
    /// Like GNU, but options end at the first operand: the rest belongs to another command.
    pub(crate) const LEADING: Self = Self { style: Style::Leading, ..Self::GNU };
    /// Most modern programs: long options only in full, short ones in clusters, options also after
    /// operands.
    pub(crate) const EXACT: Self = Self { style: Style::Exact, ..Self::GNU };
    /// Long options with one dash: `-chdir=x`, `-name x`; no clusters. Two dashes mean the same.
    pub(crate) const SINGLE: Self = Self { style: Style::Single, ..Self::GNU };
}

/// Style of options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// See [`Syntax::GNU`].
    Gnu,
    /// See [`Syntax::LEADING`].
    Leading,
    /// See [`Syntax::EXACT`].
    Exact,
    /// See [`Syntax::SINGLE`].
    Single,
}

/// Meaning of a subcommand that is not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Otherwise {
    /// It has no notable effects.
    Plain,
    /// It may run anything: an alias, a plug-in. The text names it, and follows "`git frob` is ".
    Opaque(&'static str),
}

/// Kind of text that a program prints: whether the author of the command line controls it. Texts
/// list arguments, separated by blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prints {
    /// Any text.
    Anything,
    /// Names of existing files, numbers and identifiers. An argument with blanks may be part of it.
    Names,
    /// The same, but arguments with blanks are patterns.
    FoundNames,
    /// Parts of the names in its arguments.
    PartsOfNames,
    /// Names, if one of these arguments is given.
    NamesWith(&'static str),
    /// Some lines of its input or of files; names of files if one of these arguments is given.
    Lines(&'static str),
    /// Contents of files, or results derived from them.
    Contents,
}

/// An effect of a program, and its conditions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    when: When,
    /// The effect if all conditions in [`Rule::when`] hold.
    pub(crate) does: Does,
}

/// Conditions of a rule. A single condition needs no list, so that a function can build a rule from
/// it.
#[derive(Debug, Clone, Copy)]
enum When {
    One(ArgumentCondition),
    All(&'static [ArgumentCondition]),
}

impl Rule {
    /// The conditions, all of which must hold.
    pub(crate) fn when(&self) -> &[ArgumentCondition] {
        match &self.when {
            When::One(condition) => std::slice::from_ref(condition),
            When::All(conditions) => conditions,
        }
    }

    /// The options in its conditions and at the position it is about; each text lists some.
    pub(super) fn options(&self) -> impl Iterator<Item = &'static str> {
        use ArgumentCondition::{Has, Value, ValueHas, ValueStarts};
        let conditions = self.when().iter().filter_map(|when| match when {
            Has(options) | Value(options, _) | ValueHas(options, _) | ValueStarts(options, _) => Some(*options),
            _ => None,
        });
        let place = match self.does.place() {
            Some(At::Value(options) | At::Behind(options) | At::ValueRest(options, _)) => Some(options),
            _ => None,
        };
        conditions.chain(place)
    }
}

/// A rule without a condition.
pub(crate) const fn always(does: Does) -> Rule {
    Rule { when: When::All(&[]), does }
}

/// A rule with a condition.
pub(crate) const fn when(condition: ArgumentCondition, does: Does) -> Rule {
    Rule { when: When::One(condition), does }
}

/// A rule with conditions that all hold.
pub(crate) const fn when_all(conditions: &'static [ArgumentCondition], does: Does) -> Rule {
    Rule { when: When::All(conditions), does }
}

/// The operands are another command.
pub(super) const RUNS_OPERANDS: &[Rule] = &[always(Does::RunsWords(At::From(0)))];

/// A condition on the arguments. Texts list alternatives, separated by blanks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ArgumentCondition {
    /// One of these options is given, in any spelling.
    Has(&'static str),
    /// None of these options is given.
    Lacks(&'static str),
    /// One of these options is given with one of these values.
    Value(&'static str, &'static str),
    /// One of these options is given with a value that begins with one of these texts.
    ValueStarts(&'static str, &'static str),
    /// One of these options is given with a value that contains one of these texts.
    ValueHas(&'static str, &'static str),
    /// An operand is one of these words.
    Operand(&'static str),
    /// An operand begins with one of these texts.
    OperandStarts(&'static str),
    /// An operand contains one of these lower-case texts, in any case.
    OperandHas(&'static str),
    /// The first operand is one of these words.
    First(&'static str),
    /// The first operand is none of these words.
    FirstIsNot(&'static str),
    /// There are at least this many operands.
    AtLeast(usize),
    /// There are at most this many operands.
    AtMost(usize),
    /// The standard input may provide something.
    Fed,
}

/// Position in the arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) enum At {
    /// The operand with this number, from 0.
    Nth(usize),
    /// The operands from this number on.
    From(usize),
    /// Every operand.
    All,
    /// The last operand.
    Last,
    /// Every operand but the last.
    AllButLast,
    /// The value of one of these options, at any position.
    Value(&'static str),
    /// The value of one of these options and every argument after it.
    Behind(&'static str),
    /// The operands that name something on another host: `scheme://host`, `user@host:path`,
    /// `host:path`.
    Remotes,
    /// The rest of operands that begin with one of these texts: `of=` in `dd of=x`.
    Rest(&'static str),
    /// The rest of these options' values that begin with one of these texts: `@` in `curl -d @x`.
    ValueRest(&'static str, &'static str),
    /// The arguments after `--`.
    AfterDashes,
    /// The standard input, if it is known.
    Input,
    /// This path, whatever the arguments: `.git/config`.
    Path(&'static str),
}

/// An effect of a program.
#[derive(Clone, Copy)]
pub(crate) enum Does {
    /// Reads files or folders.
    Reads(At),
    /// Reads files, or folders with everything in them.
    ReadsTrees(At),
    /// Creates or changes files.
    Writes(At),
    /// Creates files of any name in folders, or in the current one if no folder is named.
    Unpacks(At),
    /// Removes files.
    Deletes(At),
    /// Removes folders with everything in them.
    DeletesTrees(At),
    /// Changes the modes or owners of everything in folders.
    ChangesTrees(At),
    /// Opens a connection to a host, an address or a URL.
    Connects(At),
    /// Opens a connection to a web address, which may be a bare host: `example.org/x`.
    Fetches(At),
    /// Needs the network, for hosts that its arguments do not name.
    NeedsNetwork,
    /// Runs words as another command.
    RunsWords(At),
    /// Like [`Does::RunsWords`], but assignments may precede the program: `env A=1 program`.
    RunsWithVariables(At),
    /// Works in this folder, and starts commands there: `env -C`.
    StartsIn(At),
    /// Runs a shell line; several words are joined by blanks.
    RunsLine(At),
    /// Like [`Does::RunsLine`], with further arguments from elsewhere at its end.
    RunsLineWithMore(At),
    /// Runs words as a command on another machine or in a container. The files it names are not
    /// those of this machine, and a rule that allows the program allows it.
    RunsThere(At),
    /// The same with a shell line; several words are joined by blanks.
    RunsLineThere(At),
    /// Runs a file of code.
    RunsScript(At),
    /// Like [`Does::Obeys`], but the file lists everything that is run, as a makefile does. It
    /// counts as a script, so a line that changes it in place and then runs the program asks too.
    Follows(&'static str),
    /// Obeys files with these names, which may make it run anything: settings that contain code or
    /// name programs, modules, tasks. The names are separated by blanks. The program looks for each
    /// file in the current folder and the folders above it; with `**/` in front, in all folders
    /// below too. A `*` matches any part of a name. A line that fills such a file and then runs the
    /// program asks.
    ///
    /// The table of obeyed files in `tools-core` has many of these names, but neither list can be
    /// derived from the other. That table is about a file, whichever program obeys it, and leaves
    /// out files that people and programs write all the time. This list is about one program, and
    /// includes its sources.
    Obeys(&'static str),
    /// The same, in the folders at a position and around the files there: `go run ./x`.
    ObeysIn(At, &'static str),
    /// The same, in the current folder, and in and around whatever an argument may name:
    /// `cmake -S x`, `pytest x/tests`, `bazel run //x`.
    ObeysAround(&'static str),
    /// Runs code in a language.
    Evaluates(Language, At),
    /// Sets variables of what it starts: `NAME=value`.
    Sets(At),
    /// Has a consequence beyond the files of the workspace, with its usual clause.
    Is(Consequence),
    /// The same with a clause of its own, which follows the line of the command: "`git push -f`
    /// overwrites …".
    Says(Consequence, &'static str),
    /// Cannot be seen through. The text is a clause: "`git` with programs from elsewhere".
    Hides(&'static str),
    /// The text at this position decides what is done, and a rule by a function evaluates it. The
    /// line asks if it chooses a text here that is known only at run time.
    Decides(At),
    /// A function, for rules that no table can express.
    By(fn(&Parsed<'_>) -> Vec<Effect>),
    /// The same, where an option that is not given would run something or cause a question.
    ByOption(fn(&Parsed<'_>) -> Vec<Effect>),
}

impl Does {
    /// Position of the arguments that it is about; `None` if it is about none.
    pub(super) fn place(&self) -> Option<At> {
        match self {
            Self::Reads(at)
            | Self::ReadsTrees(at)
            | Self::Writes(at)
            | Self::Unpacks(at)
            | Self::Deletes(at)
            | Self::DeletesTrees(at)
            | Self::ChangesTrees(at)
            | Self::Connects(at)
            | Self::Fetches(at)
            | Self::StartsIn(at)
            | Self::Sets(at)
            | Self::ObeysIn(at, _)
            | Self::Decides(at)
            | Self::RunsThere(at)
            | Self::RunsLineThere(at) => Some(*at),
            _ => self.runs(),
        }
    }

    /// Position of the words, line, file or code that it runs on this machine; `None` if it runs
    /// none.
    pub(super) fn runs(&self) -> Option<At> {
        match self {
            Self::RunsWords(at)
            | Self::RunsWithVariables(at)
            | Self::RunsLine(at)
            | Self::RunsLineWithMore(at)
            | Self::RunsScript(at)
            | Self::Evaluates(_, at) => Some(*at),
            _ => None,
        }
    }
}

/// Source of further words of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum More {
    /// Arguments appended to its own.
    Behind,
    /// Words that replace `{}`.
    Braces,
}

impl std::fmt::Debug for Does {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Does")
    }
}

/// A line and one expected finding in it.
pub(crate) type Example = (&'static str, Expect);

/// Expected result of an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    /// A person is asked; the reason contains this text.
    Asks(&'static str),
    /// The command is never allowed; the reason contains this text.
    Denied(&'static str),
    /// A part is opaque; the reason contains this text.
    Opaque(&'static str),
    /// A command with these words is found.
    Runs(&'static str),
    /// This file of code is run, or lists what is run.
    Scripts(&'static str),
    /// This file is read.
    Reads(&'static str),
    /// This file is written.
    Writes(&'static str),
    /// This file is removed.
    Deletes(&'static str),
    /// This host or address is reached.
    Connects(&'static str),
    /// Rules are compared with these words.
    Is(&'static str),
}
