//! Perl and Ruby: code in clusters of options, modules and scripts.

use crate::reader::{Input, Value};
use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["perl", "perl5", "perl5.*", "cperl"],
        flags: "-0# -l# -a -c -d -f -g -h -n -p -s -S -t -T -u -U -v -w -W -X",
        valued: "-e -E -I",
        optional: "-C -D -F -i -M -m -V -x -d:* -dt:*",
        rules: &[
            always(By(code)),
            when_all(&[Lacks("-e -E"), FirstIsNot("-")], RunsScript(At::Nth(0))),
            when_all(&[Lacks("-e -E"), First("-")], By(perl_reads)),
            when_all(&[Lacks("-e -E -v -V -h --version --help"), AtMost(0)], By(perl_reads)),
            always(By(perl_modules)),
            // Perl puts the pattern of `-F` into the program as code.
            always(Evaluates(Language::Perl, At::Value("-F"))),
            when_all(&[Has("-S"), Lacks("-e -E")], RunsWords(At::From(0))),
            always(By(opened)),
            when(Has("-d -d:* -dt:*"), Hides("the debugger of `perl`")),
        ],
        edits: true,
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
            ("perl -d -e 1", Expect::Opaque("the debugger")),
            ("perl --odd -e 1", Expect::Opaque("`--odd` of `perl`")),
            ("cat x | perl", Expect::Opaque("runs what it reads")),
            ("perl <(echo x)", Expect::Opaque("known only when it runs")),
            ("perl -pi.bak -e 's/a/b/' f", Expect::Writes("f")),
        ],
        plain_lines: &[
            "perl -F: -lane 'print $F[0]' f", "perl -ne 'print if /error/' f", "perl -F, -lane 'print $F[0]' f",
            "perl -MList::Util=sum -e 'print sum(1, 2)'", "perl script.pl -e x", "perl -v",
        ],
        ..Program::LEADING
    },
    Program {
        family: &["ruby", "jruby", "ruby3*", "ruby2*", "irb", "truffleruby"],
        flags: "-0# -a -c -d -h -l -n -p -s -S -U -v -w -y --copyright --jit --yjit --rjit --verbose --yydebug --debug -f --sample-book \
                    --nosingleline --noecho",
        valued: "-C -e -E -I -r -X --encoding --external-encoding --internal-encoding --disable --enable --dump --backtrace-limit \
                     --parser --crash-report",
        optional: "-F -i -K -T -W -x",
        rules: RUBY,
        edits: true,
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
        ],
        plain_lines: &["ruby -e 'puts 1+1'", "ruby -rjson -e 'puts 1'", "ruby -Ilib test/x.rb", "ruby -c x.rb"],
        ..Program::LEADING
    },
];

const RUBY: &[Rule] = &[
    always(By(ruby_code)),
    when_all(&[Lacks("-e"), FirstIsNot("-")], RunsScript(At::Nth(0))),
    when_all(&[Lacks("-e"), FirstIsNot("-")], By(super::project_scripts::named)),
    // A program that is searched like a command of the shell.
    when_all(&[Has("-S"), Lacks("-e")], RunsWords(At::From(0))),
    when_all(&[Lacks("-e"), First("-")], By(ruby_reads)),
    when_all(&[Lacks("-e -v -h --version --help --copyright"), AtMost(0)], By(ruby_reads)),
    always(By(ruby_modules)),
    always(By(opened)),
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

/// Code from the standard input, which is analysed if the text is known.
fn reads(parsed: &Parsed<'_>, language: Language) -> Vec<Effect> {
    match &parsed.command.input {
        Input::Text(text) => vec![Effect::Code(language, Value::exact(text.clone()))],
        Input::None | Input::Unknown => vec![Effect::hidden(format!("`{}` runs what it reads", parsed.command.name()))],
    }
}

/// `-MName=list` is code, including the text after the name.
fn perl_modules(parsed: &Parsed<'_>) -> Vec<Effect> {
    let used =
        |value: &Value| Effect::Code(Language::Perl, Value { text: format!("use {}", value.text), ..value.clone() });
    parsed.values("-M -m").map(used).collect()
}

/// Modules that are loaded first: standard ones by name, others as code.
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
