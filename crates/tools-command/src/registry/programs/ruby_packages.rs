//! The package manager of Ruby projects.

use crate::registry::{At, Consequence, Does, Expect, Program, Subcommand, Syntax, When, always, plain, when};

pub(super) static ALL: &[Program] = &[Program {
    names: &["bundle", "bundler"],
    syntax: Syntax { flags: "--no-color -V|--verbose", valued: "-r|--retry", ..Syntax::EXACT },
    subcommands: &[
        Subcommand {
            names: &["exec", "e", "ex", "exe"],
            syntax: Syntax { flags: "--keep-file-descriptors", valued: "--gemfile", ..Syntax::LEADING },
            rules: &[always(Does::RunsWords(At::From(0)))],
            ..Subcommand::NEW
        },
        Subcommand {
            names: &["config"],
            rules: &[when(
                &[When::OperandStarts("build. path bin shebang gemfile mirror. ")],
                Does::Hides("settings of `bundle`"),
            )],
            ..Subcommand::NEW
        },
        Subcommand {
            names: &["plugin"],
            rules: &[when(&[When::First("install")], Does::Is(Consequence::ChangesSystem))],
            ..Subcommand::NEW
        },
        Subcommand {
            names: &["console"],
            rules: &[when(&[When::Fed], Does::Hides("it runs what it reads"))],
            ..Subcommand::NEW
        },
        plain(&[
            "check", "list", "show", "info", "binstubs", "clean", "doctor", "env", "fund", "gem", "init", "licenses",
            "open", "platform", "pristine", "version", "viz", "help", "issue",
        ]),
    ],
    examples: &[
        ("bundle exec sudo id", Expect::Denied("takes other rights")),
        ("bundle e sudo id", Expect::Denied("takes other rights")),
        ("bundle exec --gemfile x sudo id", Expect::Denied("takes other rights")),
        ("bundle config build.x --with=./y", Expect::Opaque("settings of `bundle`")),
        ("bundle exec rspec spec/models", Expect::Plain),
        ("bundle install", Expect::Plain),
        ("bundle check", Expect::Plain),
    ],
    ..Program::NEW
}];
