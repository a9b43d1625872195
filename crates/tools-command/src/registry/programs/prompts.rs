//! Programs with a prompt of their own at which commands can be typed: what they are fed may run
//! anything.

use crate::code::Language;
use crate::registry::{
    ArgumentCondition::{Fed, Has, Lacks, Operand, OperandStarts, ValueStarts},
    At, Does, Expect, Program, Syntax, always, when,
};

const FED: Does = Does::Hides("a prompt that runs what it is fed");
const SET_UP: Does = Does::Hides("a prompt with commands of its own choice");

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["iftop", "jtag", "scanmem", "bconsole", "ispell", "nudoku", "irssi", "weechat-headless", "ncftp"],
        is_family: true,
        syntax: Syntax { flags: "-*", valued: "-c|--command -f -F -i -p -d -u --init", ..Syntax::EXACT },
        rules: &[when(&[Fed], FED), when(&[Has("--command --init")], SET_UP), always(Does::Reads(At::All))],
        examples: &[
            ("scanmem <<< 'shell id'", Expect::Opaque("what it is fed")),
            ("echo '@exec id' | bconsole", Expect::Opaque("what it is fed")),
            ("scanmem -c 'shell id' 1", Expect::Opaque("of its own choice")),
            ("ispell private/x", Expect::Reads("private/x")),
            ("iftop -t -s 5", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["asterisk", "rasterisk"],
        is_family: true,
        syntax: Syntax { flags: "-*", valued: "-C -x -s -G -U -L -M", ..Syntax::EXACT },
        rules: &[
            when(&[Fed], FED),
            when(&[Has("-C")], SET_UP),
            when(&[ValueStarts("-x", "!")], Does::RunsLine(At::ValueRest("-x", "!"))),
            when(&[Has("-x")], SET_UP),
        ],
        examples: &[
            ("asterisk -rx '!sudo id'", Expect::Denied("takes other rights")),
            ("asterisk -C x", Expect::Opaque("of its own choice")),
            ("asterisk -r <<< '!id'", Expect::Opaque("what it is fed")),
            ("asterisk -V", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["msfconsole", "msfrpc", "msfvenom", "msfdb"],
        is_family: true,
        syntax: Syntax { flags: "-h|--help -v|--version -*", ..Syntax::EXACT },
        rules: &[when(&[Lacks("-h -v")], SET_UP), when(&[Lacks("-h -v")], Does::NeedsNetwork)],
        examples: &[("msfconsole -x 'irb'", Expect::Opaque("of its own choice")), ("msfconsole -v", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["pdb", "pdb3", "ipdb", "ipdb3"],
        is_family: true,
        syntax: Syntax { flags: "-h|--help", valued: "-c|--command", last: "-m", ..Syntax::LEADING },
        rules: &[
            always(Does::RunsScript(At::Nth(0))),
            when(&[Has("-m")], Does::Hides("a debugger that runs a module")),
            when(&[Has("-c")], SET_UP),
            when(&[Fed], FED),
        ],
        examples: &[
            ("pdb x.py", Expect::Scripts("x.py")),
            ("echo x > y.py; pdb y.py", Expect::Opaque("written by this very line")),
            ("pdb -c '!import os' x.py", Expect::Opaque("of its own choice")),
            ("pdb3 -m x", Expect::Opaque("runs a module")),
            ("pdb -h", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["ranger", "nnn", "lf", "vifm", "yazi", "broot", "zathura"],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help -v|--version -*",
            valued: "-c|--cmd|--command --cmds -r|--confdir --datadir --choosefile --choosedir --choosefiles --selectfile -p --plug \
                     -config -command --plugins-dir --config-dir -x|--synctex-editor-command --conf",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Fed], FED),
            always(Does::RunsLine(At::Value("--synctex-editor-command"))),
            when(
                &[Has("--cmd --cmds --confdir --datadir --plug -config -command --plugins-dir --config-dir --conf -p")],
                SET_UP,
            ),
            when(&[OperandStarts("+")], SET_UP),
            always(Does::Writes(At::Value("--choosefile --choosedir --choosefiles"))),
        ],
        examples: &[
            ("ranger --cmd='shell id'", Expect::Opaque("of its own choice")),
            ("vifm -c '!id'", Expect::Opaque("of its own choice")),
            ("vifm '+!id'", Expect::Opaque("of its own choice")),
            ("zathura -x 'sudo id' a.pdf", Expect::Denied("takes other rights")),
            ("ranger --choosefile=.envrc", Expect::Writes(".envrc")),
            ("zathura a.pdf", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["alpine", "pine", "rpine"],
        is_family: true,
        syntax: Syntax { valued: "-F -p -P -x -f -sort -c -I -url -attach", flags: "-*", ..Syntax::SINGLE },
        rules: &[when(&[Fed], FED), when(&[Has("-p -P -x -I")], SET_UP), always(Does::Reads(At::Value("-F -attach")))],
        examples: &[
            ("alpine -p x", Expect::Opaque("of its own choice")),
            ("alpine -F private/x", Expect::Reads("private/x")),
            ("alpine -h", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["volatility", "volatility3", "vol", "vol.py", "volshell", "crash"],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help --version --minimal -s -S -x -*",
            valued: "-f|--filename -p|--plugins|--plugin-dirs --plugins -o|--output-dir --dump-dir -D -i --script --run-script",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Operand("volshell")], FED),
            when(&[Fed], FED),
            when(&[Has("-p --plugins -i --script --run-script")], SET_UP),
            always(Does::Reads(At::Value("-f"))),
            always(Does::Writes(At::Value("-o --dump-dir"))),
        ],
        examples: &[
            ("volatility -f x volshell", Expect::Opaque("what it is fed")),
            ("vol --plugin-dirs=x -f y pslist", Expect::Opaque("of its own choice")),
            ("crash -i x", Expect::Opaque("of its own choice")),
            ("vol -f private/x windows.pslist", Expect::Reads("private/x")),
            ("vol -f x windows.pslist", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["sqlmap"],
        syntax: Syntax {
            flags: "-h|--help -hh --version --batch --dbs --tables --columns --dump --current-user --current-db --forms -b --flush-session -*",
            valued: "-u|--url -c -m -r -l -p --data --cookie --level --risk --eval --tamper --os-cmd --file-read --file-write --file-dest \
                     --sql-query --sql-file --output-dir --preprocess --postprocess --alert -D -T -C -U -X -d -g --load-cookies --proxy",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::Evaluates(Language::Python, At::Value("--eval"))),
            always(Does::RunsLine(At::Value("--alert"))),
            always(Does::RunsScript(At::Value("--tamper --preprocess --postprocess"))),
            when(&[Has("-c -m -r -l")], Does::Hides("`sqlmap` with settings or requests from a file")),
            when(&[Lacks("-h -hh --version")], Does::NeedsNetwork),
            always(Does::Connects(At::Value("-u -d"))),
            always(Does::Reads(At::Value("--file-write --sql-file --load-cookies"))),
            always(Does::Writes(At::Value("--output-dir"))),
        ],
        examples: &[
            ("sqlmap -u h --alert='sudo id'", Expect::Denied("takes other rights")),
            ("sqlmap -u h --eval='import os; os.system(\"id\")'", Expect::Opaque("os.system")),
            ("sqlmap -u h --tamper=x.py", Expect::Scripts("x.py")),
            ("sqlmap -c x", Expect::Opaque("from a file")),
            ("sqlmap -u h --batch", Expect::Connects("tcp://h")),
            ("sqlmap --version", Expect::Plain),
        ],
        ..Program::NEW
    },
];
