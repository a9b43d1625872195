//! Programs with an interactive prompt that accepts commands: their input may run anything.

use crate::registry::prelude::*;

const FED: Does = Hides("a prompt that runs what it is fed");
const SET_UP: Does = Hides("a prompt with commands of its own choice");

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["iftop", "jtag", "scanmem", "bconsole", "ispell", "nudoku", "irssi", "weechat-headless", "ncftp"],
        flags: "-*",
        valued: "-c|--command -f -F -i -p -d -u --init",
        rules: &[when(Fed, FED), when(Has("--command --init"), SET_UP), always(Reads(At::All))],
        examples: &[
            ("scanmem <<< 'shell id'", Expect::Opaque("what it is fed")),
            ("echo '@exec id' | bconsole", Expect::Opaque("what it is fed")),
            ("scanmem -c 'shell id' 1", Expect::Opaque("of its own choice")),
            ("ispell private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["iftop -t -s 5"],
        ..Program::EXACT
    },
    Program {
        family: &["asterisk", "rasterisk"],
        flags: "-*",
        valued: "-C -x -s -G -U -L -M",
        rules: &[
            when(Fed, FED),
            when(Has("-C"), SET_UP),
            when(ValueStarts("-x", "!"), RunsLine(At::ValueRest("-x", "!"))),
            when(Has("-x"), SET_UP),
        ],
        examples: &[
            ("asterisk -rx '!sudo id'", Expect::Denied("takes other rights")),
            ("asterisk -C x", Expect::Opaque("of its own choice")),
            ("asterisk -r <<< '!id'", Expect::Opaque("what it is fed")),
        ],
        plain_lines: &["asterisk -V"],
        ..Program::EXACT
    },
    Program {
        family: &["msfconsole", "msfrpc", "msfvenom", "msfdb"],
        flags: "-h|--help -v|--version -*",
        rules: &[when(Lacks("-h -v"), SET_UP), when(Lacks("-h -v"), NeedsNetwork)],
        examples: &[("msfconsole -x 'irb'", Expect::Opaque("of its own choice"))],
        plain_lines: &["msfconsole -v"],
        ..Program::EXACT
    },
    Program {
        family: &["pdb", "pdb3", "ipdb", "ipdb3"],
        flags: "-h|--help",
        valued: "-c|--command",
        last: "-m",
        rules: &[
            always(RunsScript(At::Nth(0))),
            when(Has("-m"), Hides("a debugger that runs a module")),
            when(Has("-c"), SET_UP),
            when(Fed, FED),
        ],
        examples: &[
            ("pdb x.py", Expect::Scripts("x.py")),
            ("echo x > y.py; pdb y.py", Expect::Opaque("written by this very line")),
            ("pdb -c '!import os' x.py", Expect::Opaque("of its own choice")),
            ("pdb3 -m x", Expect::Opaque("runs a module")),
        ],
        plain_lines: &["pdb -h"],
        ..Program::LEADING
    },
    Program {
        family: &["ranger", "nnn", "lf", "vifm", "yazi", "broot", "zathura"],
        flags: "-h|--help -v|--version -*",
        valued: "-c|--cmd|--command --cmds -r|--confdir --datadir --choosefile --choosedir --choosefiles --selectfile -p --plug \
                     -config -command --plugins-dir --config-dir -x|--synctex-editor-command --conf",
        rules: &[
            when(Fed, FED),
            always(RunsLine(At::Value("--synctex-editor-command"))),
            when(
                Has("--cmd --cmds --confdir --datadir --plug -config -command --plugins-dir --config-dir --conf -p"),
                SET_UP,
            ),
            when(OperandStarts("+"), SET_UP),
            always(Writes(At::Value("--choosefile --choosedir --choosefiles"))),
        ],
        examples: &[
            ("ranger --cmd='shell id'", Expect::Opaque("of its own choice")),
            ("vifm -c '!id'", Expect::Opaque("of its own choice")),
            ("vifm '+!id'", Expect::Opaque("of its own choice")),
            ("zathura -x 'sudo id' a.pdf", Expect::Denied("takes other rights")),
            ("ranger --choosefile=.envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["zathura a.pdf"],
        ..Program::EXACT
    },
    Program {
        family: &["alpine", "pine", "rpine"],
        valued: "-F -p -P -x -f -sort -c -I -url -attach",
        flags: "-*",
        rules: &[when(Fed, FED), when(Has("-p -P -x -I"), SET_UP), always(Reads(At::Value("-F -attach")))],
        examples: &[
            ("alpine -p x", Expect::Opaque("of its own choice")),
            ("alpine -F private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["alpine -h"],
        ..Program::SINGLE
    },
    Program {
        family: &["volatility", "volatility3", "vol", "vol.py", "volshell", "crash"],
        flags: "-h|--help --version --minimal -s -S -x -*",
        valued: "-f|--filename -p|--plugins|--plugin-dirs --plugins -o|--output-dir --dump-dir -D -i --script --run-script",
        rules: &[
            when(Operand("volshell"), FED),
            when(Fed, FED),
            when(Has("-p --plugins -i --script --run-script"), SET_UP),
            always(Reads(At::Value("-f"))),
            always(Writes(At::Value("-o --dump-dir"))),
        ],
        examples: &[
            ("volatility -f x volshell", Expect::Opaque("what it is fed")),
            ("vol --plugin-dirs=x -f y pslist", Expect::Opaque("of its own choice")),
            ("crash -i x", Expect::Opaque("of its own choice")),
            ("vol -f private/x windows.pslist", Expect::Reads("private/x")),
        ],
        plain_lines: &["vol -f x windows.pslist"],
        ..Program::EXACT
    },
    Program {
        names: &["sqlmap"],
        flags: "-h|--help -hh --version --batch --dbs --tables --columns --dump --current-user --current-db --forms -b --flush-session -*",
        valued: "-u|--url -c -m -r -l -p --data --cookie --level --risk --eval --tamper --os-cmd --file-read --file-write --file-dest \
                     --sql-query --sql-file --output-dir --preprocess --postprocess --alert -D -T -C -U -X -d -g --load-cookies --proxy",
        rules: &[
            always(Evaluates(Language::Python, At::Value("--eval"))),
            always(RunsLine(At::Value("--alert"))),
            always(RunsScript(At::Value("--tamper --preprocess --postprocess"))),
            when(Has("-c -m -r -l"), Hides("`sqlmap` with settings or requests from a file")),
            when(Lacks("-h -hh --version"), NeedsNetwork),
            always(Connects(At::Value("-u -d"))),
            always(Reads(At::Value("--file-write --sql-file --load-cookies"))),
            always(Writes(At::Value("--output-dir"))),
        ],
        examples: &[
            ("sqlmap -u h --alert='sudo id'", Expect::Denied("takes other rights")),
            ("sqlmap -u h --eval='import os; os.system(\"id\")'", Expect::Opaque("os.system")),
            ("sqlmap -u h --tamper=x.py", Expect::Scripts("x.py")),
            ("sqlmap -c x", Expect::Opaque("from a file")),
            ("sqlmap -u h --batch", Expect::Connects("tcp://h")),
        ],
        plain_lines: &["sqlmap --version"],
        ..Program::EXACT
    },
];
