//! Preprocessors of `troff`, and programs that turn texts into pages, sounds or terminal windows.

use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        family: &[
            "pic", "gpic", "eqn", "geqn", "neqn", "tbl", "gtbl", "soelim", "zsoelim", "grap", "refer", "chem", "grn",
        ],
        flags: "-U -S -C -n -v|--version -h|--help -t -z -r -R -N -B -e -b",
        valued: "-d -D -f -s -p -m -M -T -I -a -c -k -l",
        rules: &[when(Has("-U"), Hides("a picture that may run commands")), always(Reads(At::All))],
        examples: &[
            ("pic -U x", Expect::Opaque("may run commands")),
            ("pic private/x", Expect::Reads("private/x")),
            ("soelim -I man private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["eqn x"],
        ..Program::EXACT
    },
    Program {
        family: &["enscript", "genscript", "nenscript"],
        flags: "-1 -2 -3 -4 -5 -6 -7 -8 -9 -B|--no-header -c|--truncate-lines -g|--print-anyway -h|--no-job-header -j|--borders -k \
                    -l -m -O|--list-missing-characters -q|--quiet|--silent -r|--landscape -R|--portrait -s -V|--version -w -z|--no-formfeed -Z|--pass-through \
                    --list-media --list-options --toc --escapes",
        valued: "-a|--pages -A|--file-align -b|--header -d|-P|--printer -f|--font -F|--header-font -I|--filter -L|--lines-per-page -M|--media \
                     -n|--copies -o|-p|--output -S|--statusdict -t|--title|-J -T|--tabsize -u|--underlay -U|--nup -W|--language -X|--encoding \
                     -i|--indent -N|--newline -D|--setpagedevice --margins --option --word-wrap --mark-wrapped-lines",
        optional: "-C|--line-numbers -e|--escapes= -E|--highlight|--pretty-print -G|--fancy-header -H|--highlight-bars --color --style",
        rules: &[
            always(RunsLine(At::Value("--filter"))),
            when(Has("--option --statusdict --setpagedevice"), Hides("pages with settings of their own")),
            always(Reads(At::All)),
            always(Writes(At::Value("--output"))),
            when(
                Lacks("--output --version --help --list-media --list-options"),
                Says(Consequence::Publishes, "hands something to others, which cannot be undone"),
            ),
        ],
        examples: &[
            ("enscript /dev/null -qo /dev/null -I 'sudo id'", Expect::Denied("takes other rights")),
            ("enscript --filter='sudo id' x", Expect::Denied("takes other rights")),
            ("enscript x", Expect::Asks("hands something to others")),
            ("enscript -p .envrc x", Expect::Writes(".envrc")),
        ],
        plain_lines: &["enscript -q -p out.ps x"],
        ..Program::GNU
    },
    Program {
        family: &["cowsay", "cowthink", "ponysay"],
        flags: "-b -d -g -p -s -t -w -y -h -l -n -N -r",
        valued: "-e -T -W -f",
        rules: &[always(RunsScript(At::Value("-f")))],
        is_exhaustive: true,
        examples: &[
            ("cowsay -f ./x.pl hi", Expect::Scripts("x.pl")),
            ("echo x > ./x.cow; cowsay -f ./x.cow hi", Expect::Opaque("written by this very line")),
        ],
        plain_lines: &["cowsay -d hello"],
        ..Program::LEADING
    },
    Program {
        family: &["dialog", "whiptail", "zenity", "yad", "kdialog"],
        flags: "-*",
        valued: "--prgbox --programbox --textbox --tailbox --tailboxbg --editbox --title --backtitle --filename --rcfile --create-rc --action \
                     --command --button",
        rules: &[
            when(Has("--prgbox"), RunsLine(At::Nth(0))),
            always(RunsLine(At::Value("--prgbox --command"))),
            when(Has("--action --button"), Hides("a window with a program of its own choice")),
            always(Reads(At::Value("--textbox --tailbox --tailboxbg --editbox --filename"))),
            always(Writes(At::Value("--create-rc"))),
        ],
        examples: &[
            ("dialog --prgbox 'sudo id' 9 9", Expect::Denied("takes other rights")),
            ("dialog --prgbox text 'sudo id' 9 9", Expect::Denied("takes other rights")),
            ("yad --button=x:./y", Expect::Opaque("of its own choice")),
            ("whiptail --textbox private/x 9 9", Expect::Reads("private/x")),
        ],
        plain_lines: &["dialog --yesno ok 9 9"],
        ..Program::EXACT
    },
    Program {
        family: &["espeak", "espeak-ng", "redcarpet", "figlet", "toilet", "lolcat", "boxes", "fortune"],
        flags: "-*",
        valued: "-f -w -d -k -p -s -v -a --path",
        rules: &[always(Reads(At::All)), always(Reads(At::Value("-f"))), always(Writes(At::Value("-w")))],
        examples: &[
            ("espeak -qXf private/x", Expect::Reads("private/x")),
            ("espeak -w .envrc hi", Expect::Writes(".envrc")),
            ("redcarpet private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["figlet hello"],
        ..Program::EXACT
    },
];
