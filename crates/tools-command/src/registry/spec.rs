//! The form of a program's description: how its options are written, and what its arguments make it
//! do. Plain data, so that a description can be read as a table and walked by a test.

use super::consequence::Consequence;
use super::parsed::Parsed;
use crate::code::Language;
use crate::effect::Effect;

/// Description of one program.
///
/// Fields that a program does not need are taken from [`Program::GNU`] and its like, by the style
/// of its options. The lists of options are those of [`Syntax`]: options in front of the
/// subcommand, which are accepted behind it too unless the style is [`Style::Leading`]; every
/// option where there is no subcommand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program {
    /// The names it is called by; the first is the one that rules are compared with. A name that
    /// ends in `*` stands for every name that begins so.
    pub(crate) names: &'static [&'static str],
    /// In place of names: programs of which the same is told, so that rules are compared with the
    /// name that is typed.
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
    /// Options that name the folder it works in, separated by blanks: paths are relative to their
    /// values.
    pub(crate) folder: &'static str,
    /// Rules about its arguments, whatever the subcommand.
    pub(crate) rules: &'static [Rule],
    /// Subcommands, separated by blanks, whose further arguments change how they do their work, not
    /// what it is: who agrees to one call of them agrees to others.
    pub(crate) general: &'static str,
    /// Empty where operands follow directly.
    pub(crate) subcommands: &'static [Subcommand],
    /// More subcommands, separated by blanks, that do nothing worth telling.
    pub(crate) plain: &'static str,
    /// Whether an unambiguous beginning of a subcommand is enough: `npm publ`.
    pub(crate) abbreviates: bool,
    /// Meaning of a subcommand that is not listed.
    pub(crate) otherwise: Otherwise,
    /// Whether the rules name everything that it reads, changes and runs. Other programs may touch
    /// anything in the workspace.
    pub(crate) is_exhaustive: bool,
    /// Whether what it writes is made from the sources of the workspace, so that running it in the
    /// same line is no more than running the workspace's own code.
    pub(crate) builds: bool,
    /// Whether it changes files in place, as a formatter does, or brings back earlier versions. A
    /// line that then runs such a file runs what the workspace had before.
    pub(crate) edits: bool,
    /// Its output, by its names, separated by blanks; [`Prints::Anything`] for those that are
    /// not listed.
    pub(crate) prints: &'static [(&'static str, Prints)],
    /// Its names, separated by blanks, whose output has the format of another command, and the
    /// words of that.
    pub(crate) prints_as: &'static [(&'static str, &'static str)],
    /// Lines with what is found in them; each description has some.
    #[cfg_attr(not(test), expect(dead_code, reason = "they are for the tests"))]
    pub(crate) examples: &'static [Example],
    /// Lines in which nothing asks and nothing is opaque.
    #[cfg_attr(not(test), expect(dead_code, reason = "they are for the tests"))]
    pub(crate) plain_lines: &'static [&'static str],
}

impl Program {
    /// A program without options that does nothing worth telling, of the style of [`Syntax::GNU`].
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
    /// The same of the style of [`Syntax::LEADING`].
    pub(crate) const LEADING: Self = Self { style: Style::Leading, ..Self::GNU };
    /// The same of the style of [`Syntax::EXACT`].
    pub(crate) const EXACT: Self = Self { style: Style::Exact, ..Self::GNU };
    /// The same of the style of [`Syntax::SINGLE`].
    pub(crate) const SINGLE: Self = Self { style: Style::Single, ..Self::GNU };

    /// Every name it is called by.
    pub(crate) fn all_names(&self) -> &'static [&'static str] {
        if self.family.is_empty() { self.names } else { self.family }
    }

    /// Its own options.
    pub(crate) const fn syntax(&self) -> Syntax {
        let Self { flags, valued, optional, last, style, .. } = *self;
        Syntax { flags, valued, optional, last, style }
    }
}

/// One subcommand, or a word behind one: `remote` and, in it, `add`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subcommand {
    /// Its name. Names separated by blanks are different subcommands of which the same is told;
    /// spellings of one are joined by `|`, and rules are compared with the first of them:
    /// `add install|i`.
    pub(crate) names: &'static str,
    /// Its own options.
    pub(crate) syntax: Syntax,
    /// Rules about its arguments.
    pub(crate) rules: &'static [Rule],
    /// Words that may follow and say more.
    pub(crate) subcommands: &'static [Subcommand],
    /// The words this is another way to say, from the program on; `None` when it stands for itself.
    pub(crate) is: Option<&'static str>,
}

impl Subcommand {
    /// A subcommand that does nothing worth telling.
    pub(crate) const NEW: Self = Self { names: "", syntax: Syntax::GNU, rules: &[], subcommands: &[], is: None };

    /// The spellings of each name, the first in front.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = std::str::Split<'static, char>> + use<> {
        self.names.split_ascii_whitespace().map(|spellings| spellings.split('|'))
    }
}

/// Subcommands that do nothing worth telling.
pub(crate) const fn each(names: &'static str) -> Subcommand {
    Subcommand { names, ..Subcommand::NEW }
}

/// Subcommands of which these rules tell.
pub(crate) const fn ruled(names: &'static str, rules: &'static [Rule]) -> Subcommand {
    Subcommand { names, rules, ..Subcommand::NEW }
}

/// Subcommands with options of their own, of which these rules tell.
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
    /// Options that stand alone. `-#` stands for a number: `-5`; `-l#` for a letter that digits may
    /// follow in a cluster. A spelling that ends in `*` stands for every argument that begins so,
    /// and the rest is the value: `-D*`; it may begin with a plus: `+*`. `-*` stands for every
    /// option that is not listed.
    pub(crate) flags: &'static str,
    /// Options whose value is attached or the next argument.
    pub(crate) valued: &'static str,
    /// Options whose value, if there is one, is attached.
    pub(crate) optional: &'static str,
    /// Options whose value is attached or the next argument and ends the options: what follows are
    /// operands.
    pub(crate) last: &'static str,
    /// Their style.
    pub(crate) style: Style,
}

impl Syntax {
    /// GNU: short options in clusters, long ones by unambiguous beginnings, options also behind
    /// operands.
    pub(crate) const GNU: Self = Self { flags: "", valued: "", optional: "", last: "", style: Style::Gnu };
    /// As GNU, but options end at the first operand: what follows belongs to another command.
    pub(crate) const LEADING: Self = Self { style: Style::Leading, ..Self::GNU };
    /// Long options only in full, short ones in clusters, options also behind operands: most modern
    /// programs.
    pub(crate) const EXACT: Self = Self { style: Style::Exact, ..Self::GNU };
    /// Options of one dash and many letters: `-chdir=x`, `-name x`; never in clusters. Two dashes
    /// mean the same.
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
    /// It does nothing worth telling.
    Plain,
    /// It may run anything: an alias, a plug-in. The text says what, and follows "`git frob` is ".
    Opaque(&'static str),
}

/// Kind of text that a program prints: whether the author of the command line controls it. Texts
/// list arguments, separated by blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prints {
    /// Anything.
    Anything,
    /// Names of what is there, numbers and identifiers. An argument with blanks may be part of it.
    Names,
    /// The same, where arguments with blanks are patterns.
    FoundNames,
    /// A part of the names in its arguments.
    PartsOfNames,
    /// Names where one of these arguments is given.
    NamesWith(&'static str),
    /// Some lines of what it is fed or of files; names of files where one of these arguments is
    /// given.
    Lines(&'static str),
    /// What files hold, or what it makes of that.
    Contents,
}

/// One thing that a program does, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    when: When,
    /// Its effect where all [`Rule::when`] hold.
    pub(crate) does: Does,
}

/// Conditions of a rule. One needs no list, so that a function can make a rule of it.
#[derive(Debug, Clone, Copy)]
enum When {
    One(ArgumentCondition),
    All(&'static [ArgumentCondition]),
}

impl Rule {
    /// The conditions, all of which hold where it applies.
    pub(crate) fn when(&self) -> &[ArgumentCondition] {
        match &self.when {
            When::One(condition) => std::slice::from_ref(condition),
            When::All(conditions) => conditions,
        }
    }

    /// The options by which it holds, or says what is touched; each text lists some.
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
    /// An operand contains one of these texts, which are in lower case, in any case.
    OperandHas(&'static str),
    /// The first operand is one of these words.
    First(&'static str),
    /// The first operand is none of these words.
    FirstIsNot(&'static str),
    /// There are at least so many operands.
    AtLeast(usize),
    /// There are at most so many operands.
    AtMost(usize),
    /// Something may come in on the standard input.
    Fed,
}

/// Position in the arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) enum At {
    /// The operand of this number, from 0.
    Nth(usize),
    /// The operands from this number on.
    From(usize),
    /// Every operand.
    All,
    /// The last operand.
    Last,
    /// Every operand but the last.
    AllButLast,
    /// The value of one of these options, wherever it is given.
    Value(&'static str),
    /// The value of one of these options and every argument behind it.
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
    /// The standard input, where it is known.
    Input,
    /// This path, whatever the arguments: `.git/config`.
    Path(&'static str),
}

/// An effect of a program.
#[derive(Clone, Copy)]
pub(crate) enum Does {
    /// Reads files or folders.
    Reads(At),
    /// Reads folders with all that is in them, or files.
    ReadsTrees(At),
    /// Creates or changes files.
    Writes(At),
    /// Makes files of any name in folders.
    Unpacks(At),
    /// Removes files.
    Deletes(At),
    /// Removes folders with all that is in them.
    DeletesTrees(At),
    /// Changes modes or owners of all that is in folders.
    ChangesTrees(At),
    /// Opens a connection to a host, an address or a URL.
    Connects(At),
    /// Opens a connection to an address of the web, which may be a bare host: `example.org/x`.
    Fetches(At),
    /// Needs the network, to hosts that its arguments do not name.
    NeedsNetwork,
    /// Runs words as another command.
    RunsWords(At),
    /// As [`Does::RunsWords`], behind assignments of variables: `env A=1 program`.
    RunsWithVariables(At),
    /// Works in this folder with whatever it starts: `env -C`.
    StartsIn(At),
    /// Runs a line for a shell; several words are joined by blanks.
    RunsLine(At),
    /// As [`Does::RunsLine`], with more arguments behind it, that come from elsewhere.
    RunsLineWithMore(At),
    /// Runs words as a command on another machine or in a container: files that it names are not
    /// those of this machine, and a rule that allows the program allows it.
    RunsThere(At),
    /// The same with a line for a shell; several words are joined by blanks.
    RunsLineThere(At),
    /// Runs a file of code.
    RunsScript(At),
    /// As [`Does::Obeys`], where such a file lists all that is run, as a makefile does: it is a
    /// script, and a line that changes it in place and then runs the program asks, too.
    Follows(&'static str),
    /// Obeys files of these names, which may make it run anything: settings that are code or name
    /// programs, modules, tasks. The names are separated by blanks. Each file is looked for in the
    /// current folder and the folders above it, and with `**/` in front in all folders below, too.
    /// A `*` matches any part of a name. A line that fills such a file and then runs the program
    /// asks.
    ///
    /// The table of obeyed files in `tools-core` has many of these names, and neither list can be
    /// made from the other: that one is asked about a file, whoever obeys it, and has nothing that
    /// people and programs write all day; this one is about one program, and has its sources.
    Obeys(&'static str),
    /// The same in the folders at a place and around the files there: `pip install ./x`.
    ObeysIn(At, &'static str),
    /// Runs code in a language.
    Evaluates(Language, At),
    /// Sets variables of what it starts: `NAME=value`.
    Sets(At),
    /// Does something that concerns more than the files of the workspace, in the words of the
    /// consequence.
    Is(Consequence),
    /// The same in words of its own, which follow the line of the command: "`git push -f`
    /// overwrites …".
    Says(Consequence, &'static str),
    /// Cannot be seen through. The text is a clause: "`git` with programs from elsewhere".
    Hides(&'static str),
    /// The text at this place decides what is done, as a rule by a function reads it: it asks where
    /// the line chooses a text that is known only when it runs.
    Decides(At),
    /// A rule that no table can express.
    By(fn(&Parsed<'_>) -> Vec<Effect>),
    /// The same where an option that is not given would run something or do what asks.
    ByOption(fn(&Parsed<'_>) -> Vec<Effect>),
}

impl Does {
    /// Where the arguments stand that it is about.
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

    /// Where the words, the line, the file or the code stand that it runs here.
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
    /// Arguments behind its own.
    Behind,
    /// Words in place of `{}`.
    Braces,
}

impl std::fmt::Debug for Does {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Does")
    }
}

/// A line, and something that is found in it.
pub(crate) type Example = (&'static str, Expect);

/// Expected result of an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    /// A person is asked; the reason contains this text.
    Asks(&'static str),
    /// It never runs; the reason contains this text.
    Denied(&'static str),
    /// It cannot be seen through; the reason contains this text.
    Opaque(&'static str),
    /// A command with these words is found in it.
    Runs(&'static str),
    /// This file of code is run, or says what is run.
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
