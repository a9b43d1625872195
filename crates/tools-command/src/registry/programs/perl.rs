//! Perl and Ruby: code in clusters of options, modules and scripts.

use crate::code::Language;
use crate::effect::Effect;
use crate::reader::{Input, Value};
use crate::registry::{
    ArgumentCondition::{AtMost, First, FirstIsNot, Has, Lacks},
    At, Does, Expect, Parsed, Program, Rule, Syntax, always, when,
};

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["perl", "perl5", "perl5.*", "cperl"],
        is_family: true,
        syntax: Syntax {
            flags: "-0# -l# -a -c -d -f -g -h -n -p -s -S -t -T -u -U -v -w -W -X",
            valued: "-e -E -I",
            optional: "-C -D -F -i -M -m -V -x -d:* -dt:*",
            ..Syntax::LEADING
        },
        rules: &[
            always(Does::By(code)),
            when(&[Lacks("-e -E"), FirstIsNot("-")], Does::RunsScript(At::Nth(0))),
            when(&[Lacks("-e -E"), First("-")], Does::By(perl_reads)),
            when(&[Lacks("-e -E -v -V -h --version --help"), AtMost(0)], Does::By(perl_reads)),
            always(Does::By(perl_modules)),
            // Perl puts the pattern of `-F` into the program as code.
            always(Does::Evaluates(Language::Perl, At::Value("-F"))),
            when(&[Has("-S"), Lacks("-e -E")], Does::RunsWords(At::From(0))),
            always(Does::By(opened)),
            when(&[Has("-d -d:* -dt:*")], Does::Hides("the debugger of `perl`")),
        ],
        examples: &[
            ("perl -e 'system \"id\"'", Expect::Opaque("system")),
            ("perl -le 'system \"id\"'", Expect::Opaque("system")),
            ("perl -0777e 'system \"id\"'", Expect::Opaque("system")),
            ("perl -l012e 'system \"id\"'", Expect::Opaque("system")),
            ("perl -wle 'exec \"id\"'", Expect::Opaque("exec")),
            ("perl -lane 'print' -e 'system \"id\"' f", Expect::Opaque("system")),
            ("perl -pe 's/x/`id`/e' f", Expect::Opaque("`")),
            ("perl -pe 's{x}{lc y}e' f", Expect::Opaque("code with")),
            ("perl -ne 1 'id|'", Expect::Opaque("opens a pipe")),
            ("perl -pe 1 '|id'", Expect::Opaque("opens a pipe")),
            ("perl -e 'while(<>){}' 'id |'", Expect::Opaque("opens a pipe")),
            ("perl x.pl 'id |'", Expect::Opaque("opens a pipe")),
            ("perl -M'POSIX;system(1)' -e 1", Expect::Opaque("system")),
            ("perl -F'/x/);system(q(git push));(/y/' -e 1 f", Expect::Opaque("system")),
            ("perl -S git push", Expect::Runs("git push")),
            ("perl -F: -lane 'print $F[0]' f", Expect::Plain),
            ("perl -d -e 1", Expect::Opaque("the debugger")),
            ("perl --odd -e 1", Expect::Opaque("`--odd` of `perl`")),
            ("cat x | perl", Expect::Opaque("runs what it reads")),
            ("perl <(echo x)", Expect::Opaque("known only when it runs")),
            ("perl -pi.bak -e 's/a/b/' f", Expect::Writes("f")),
            ("perl -ne 'print if /error/' f", Expect::Plain),
            ("perl -F, -lane 'print $F[0]' f", Expect::Plain),
            ("perl -MList::Util=sum -e 'print sum(1, 2)'", Expect::Plain),
            ("perl script.pl -e x", Expect::Plain),
            ("perl -v", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["ruby", "jruby", "ruby3*", "ruby2*", "irb", "truffleruby"],
        is_family: true,
        syntax: Syntax {
            flags: "-0# -a -c -d -h -l -n -p -s -S -U -v -w -y --copyright --jit --yjit --rjit --verbose --yydebug --debug -f --sample-book \
                    --nosingleline --noecho",
            valued: "-C -e -E -I -r -X --encoding --external-encoding --internal-encoding --disable --enable --dump --backtrace-limit \
                     --parser --crash-report",
            optional: "-F -i -K -T -W -x",
            ..Syntax::LEADING
        },
        rules: RUBY,
        examples: &[
            ("ruby -e '`id`'", Expect::Opaque("`")),
            ("ruby -rjson -ne 'system(1)' f", Expect::Opaque("system")),
            ("ruby -W0 -e 'exec 1'", Expect::Opaque("exec")),
            ("ruby -E utf-8 -e 'exec 1'", Expect::Opaque("exec")),
            ("ruby -ne '1' '|id'", Expect::Opaque("opens a pipe")),
            ("ruby -run -e httpd", Expect::Opaque("`un`")),
            ("ruby --odd -e 1", Expect::Opaque("`--odd` of `ruby`")),
            ("ruby -r./x -e 1", Expect::Opaque("a module first")),
            ("cat x | ruby", Expect::Opaque("runs what it reads")),
            ("ruby /dev/fd/3", Expect::Opaque("from a descriptor")),
            ("ruby bin/rails db:drop", Expect::Asks("a database")),
            ("ruby -S gem push x", Expect::Runs("gem push x")),
            ("ruby -wS gem push x", Expect::Asks("publishes")),
            ("ruby -e 'puts 1+1'", Expect::Plain),
            ("ruby -rjson -e 'puts 1'", Expect::Plain),
            ("ruby -Ilib test/x.rb", Expect::Plain),
            ("ruby -c x.rb", Expect::Plain),
        ],
        ..Program::NEW
    },
];

const RUBY: &[Rule] = &[
    always(Does::By(ruby_code)),
    when(&[Lacks("-e"), FirstIsNot("-")], Does::RunsScript(At::Nth(0))),
    when(&[Lacks("-e"), FirstIsNot("-")], Does::By(super::project_scripts::named)),
    // A program that is looked for as the shell does.
    when(&[Has("-S"), Lacks("-e")], Does::RunsWords(At::From(0))),
    when(&[Lacks("-e"), First("-")], Does::By(ruby_reads)),
    when(&[Lacks("-e -v -h --version --help --copyright"), AtMost(0)], Does::By(ruby_reads)),
    always(Does::By(ruby_modules)),
    always(Does::By(opened)),
];

fn code(parsed: &Parsed<'_>) -> Vec<Effect> {
    let writes = parsed.has("-i").then(|| edited(parsed));
    let own = parsed.values("-e -E").cloned().map(|code| Effect::Code(Language::Perl, code));
    own.chain(writes.into_iter().flatten()).collect()
}

fn ruby_code(parsed: &Parsed<'_>) -> Vec<Effect> {
    let writes = parsed.has("-i").then(|| edited(parsed));
    let own = parsed.values("-e").cloned().map(|code| Effect::Code(Language::Ruby, code));
    own.chain(writes.into_iter().flatten()).collect()
}

/// The files that are edited in place.
fn edited(parsed: &Parsed<'_>) -> Vec<Effect> {
    let from = usize::from(!parsed.has("-e -E"));
    parsed.operands().skip(from).cloned().map(|file| Effect::path(file, tools_core::Access::Write)).collect()
}

fn perl_reads(parsed: &Parsed<'_>) -> Vec<Effect> {
    reads(parsed, Language::Perl)
}

fn ruby_reads(parsed: &Parsed<'_>) -> Vec<Effect> {
    reads(parsed, Language::Ruby)
}

/// Code that comes in: seen through where the text is known.
fn reads(parsed: &Parsed<'_>, language: Language) -> Vec<Effect> {
    match &parsed.command.input {
        Input::Text(text) => vec![Effect::Code(language, Value::exact(text.clone()))],
        Input::None | Input::Unknown => vec![Effect::hidden(format!("`{}` runs what it reads", parsed.command.name()))],
    }
}

/// `-MName=list` is code: what stands behind the name is part of it.
fn perl_modules(parsed: &Parsed<'_>) -> Vec<Effect> {
    let used =
        |value: &Value| Effect::Code(Language::Perl, Value { text: format!("use {}", value.text), ..value.clone() });
    parsed.values("-M -m").map(used).collect()
}

/// Modules that are loaded first: those of the language by name, others are code of their own.
fn ruby_modules(parsed: &Parsed<'_>) -> Vec<Effect> {
    let used = |value: &Value| {
        if value.text.contains('/') {
            Effect::hidden("`ruby` that loads a module first")
        } else {
            Effect::Code(Language::Ruby, Value { text: format!("use {}", value.text), ..value.clone() })
        }
    };
    parsed.values("-r").map(used).collect()
}

/// Operands that the code or the loop around it opens: a bar makes them commands.
fn opened(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_pipe = |operand: &Value| operand.text.trim().starts_with(['|', '>']) || operand.text.trim().ends_with('|');
    let runs = parsed.operands().any(is_pipe);
    runs.then(|| Effect::hidden("it opens a pipe to a command")).into_iter().collect()
}
