//! Programs that open connections, listen, or look around in a network.

use crate::effect::Effect;
use crate::reader::Value;
use crate::registry::{
    ArgumentCondition::{First, Has, Lacks, Operand, OperandStarts, ValueHas},
    At, Does, Expect, Parsed, Program, Syntax, always, when,
};
use tools_core::Access;

const HANDS: &str = "a connection that is handed to a program";

pub(super) static ALL: &[Program] = &[
    Program {
        names: &[
            "telnet", "ftp", "tftp", "drill", "ping", "ping6", "traceroute", "traceroute6", "tracepath", "mtr",
            "masscan", "links", "elinks", "w3m", "lynx", "rlogin", "rsh", "whois", "hping3", "arping", "fping",
            "iperf", "iperf3", "finger", "ntpdate", "snmpwalk", "smbclient", "nikto", "ab", "hey",
        ],
        is_family: true,
        syntax: Syntax { flags: "-*", valued: "-cfg -c -F -config", ..Syntax::EXACT },
        rules: &[
            when(&[Lacks("-V -h --help --version")], Does::NeedsNetwork),
            when(&[OperandStarts("!")], Does::Hides("a program of the network that runs a command")),
        ],
        examples: &[("ping -c 1 x", Expect::Plain), ("ftp '!sh'", Expect::Opaque("runs a command"))],
        ..Program::NEW
    },
    Program {
        names: &["wrk", "wrk2"],
        is_family: true,
        syntax: Syntax {
            flags: "--latency -v|--version",
            valued: "-t|--threads -c|--connections -d|--duration -s|--script -H|--header --timeout -R|--rate",
            ..Syntax::EXACT
        },
        rules: &[always(Does::RunsScript(At::Value("--script"))), always(Does::Connects(At::Nth(0)))],
        examples: &[
            ("wrk -s x.lua http://h", Expect::Scripts("x.lua")),
            ("wrk -t2 -c10 http://h/", Expect::Connects("http://h/")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["dig", "nslookup", "host", "delv"],
        is_family: true,
        syntax: Syntax { flags: "-*", valued: "-f -k -p -q -t -b -c -x -y", ..Syntax::EXACT },
        rules: &[when(&[Lacks("-v -V -h --help")], Does::NeedsNetwork), always(Does::Reads(At::Value("-f -k")))],
        examples: &[("dig -f private/x", Expect::Reads("private/x")), ("host example.org", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["nc", "ncat", "netcat", "nc.openbsd", "nc.traditional"],
        is_family: true,
        syntax: Syntax {
            flags: "-4 -6 -A -b -C|--crlf -D -d -h -k|--keep-open -l|--listen -N -n|--nodns -r -S -t|--telnet -U|--unixsock -u|--udp -v|--verbose -z --ssl --sctp \
                    --no-shutdown --send-only --recv-only --chat --broker --ssl-verify --append-output -a",
            valued: "-c|--sh-exec -e|--exec --lua-exec -g -G -i|--idle-timeout -I -M -m|--max-conns -O -o|--output -P -p|--source-port -q -s|--source -T -V \
                     -w|--wait -W -X -x|--hex-dump --proxy --proxy-type --proxy-auth --allow --allowfile --deny --denyfile --ssl-cert --ssl-key",
            ..Syntax::GNU
        },
        rules: &[
            when(&[Lacks("-h")], Does::NeedsNetwork),
            when(&[Lacks("--listen")], Does::Connects(At::Nth(0))),
            always(Does::RunsLine(At::Value("--sh-exec --exec"))),
            when(&[Has("--sh-exec --exec --lua-exec")], Does::Hides(HANDS)),
            always(Does::Writes(At::Value("--output --hex-dump"))),
        ],
        examples: &[
            ("nc -e /bin/sh h 1", Expect::Opaque(HANDS)),
            ("nc -lvp 4444 -e sh", Expect::Opaque(HANDS)),
            ("ncat --sh-ex 'rm -rf x' h 1", Expect::Runs("rm -rf x")),
            ("ncat --lua-exec x h 1", Expect::Opaque(HANDS)),
            ("nc -z h 80", Expect::Connects("tcp://h")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["socat", "websocat"],
        is_family: true,
        syntax: Syntax { flags: "-*", valued: "-b -f -L -lf -lp -r -R -s -S -t -T -W -H --header", ..Syntax::SINGLE },
        rules: &[
            when(&[Lacks("-V -h -hh -hhh -?")], Does::NeedsNetwork),
            always(Does::By(addresses)),
            always(Does::Decides(At::All)),
            always(Does::Writes(At::Value("-r -R -lf"))),
        ],
        examples: &[
            ("socat - exec:/bin/sh", Expect::Opaque(HANDS)),
            ("socat - EXEC:'rm -rf x',pty,stderr", Expect::Runs("rm -rf x")),
            ("socat tcp:h:1 SYSTEM:'rm -rf x'", Expect::Runs("rm -rf x")),
            ("websocat ws://h sh-c:'rm -rf x'", Expect::Opaque(HANDS)),
            ("socat -u file:private/x -", Expect::Reads("private/x")),
            ("socat - open:.envrc,create", Expect::Writes(".envrc")),
            ("socat -V", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["nmap"],
        syntax: Syntax {
            flags: "-*",
            valued: "-oN -oX -oG -oA -oS -oM -iL --script --script-args --script-args-file --interactive --datadir --resume --stylesheet --excludefile --exclude -e -S -p \
                     --top-ports --min-rate --max-rate --host-timeout --servicedb --versiondb",
            ..Syntax::SINGLE
        },
        rules: &[
            when(&[Lacks("-V -h")], Does::NeedsNetwork),
            when(&[Has("--script --interactive --datadir")], Does::Hides("`nmap` with a script")),
            always(Does::Writes(At::Value("-oN -oX -oG -oA -oS -oM"))),
            always(Does::Reads(At::Value("-iL --excludefile --resume"))),
        ],
        examples: &[
            ("nmap --script ./x h", Expect::Opaque("with a script")),
            ("nmap --script=./x h", Expect::Opaque("with a script")),
            ("nmap -oG .envrc h", Expect::Writes(".envrc")),
            ("nmap -iL private/x", Expect::Reads("private/x")),
            ("nmap -sV h", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["tcpdump", "tshark", "dumpcap", "ngrep"],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "-B -c -C -E -F -G -i -m -M -r -s -T -V -w -W -y -z -Z -X -a -b -f -Y -O",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::RunsLineWithMore(At::Value("-z"))),
            when(&[Has("-z")], Does::Hides("a capture that hands its files to a program")),
            when(&[ValueHas("-X", "lua_script read_format")], Does::Hides("a capture with a script")),
            always(Does::Writes(At::Value("-w"))),
            always(Does::Reads(At::Value("-r -F"))),
        ],
        examples: &[
            ("tcpdump -lni lo -w /dev/null -W 1 -G 1 -z ./x", Expect::Opaque("hands its files to a program")),
            ("tshark -Xlua_script:x", Expect::Opaque("with a script")),
            ("tcpdump -w .envrc", Expect::Writes(".envrc")),
            ("tcpdump -nn -i lo", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["lftp"],
        syntax: Syntax { flags: "-*", valued: "-c -e -f -u -p --rcfile", ..Syntax::EXACT },
        rules: &[
            always(Does::NeedsNetwork),
            when(&[ValueHas("-c -e", "! shell local source glob")], Does::Hides("`lftp` that runs a command")),
            when(&[Has("-f --rcfile")], Does::Hides("`lftp` with commands from a file")),
        ],
        examples: &[
            ("lftp -c '!sh'", Expect::Opaque("runs a command")),
            ("lftp -f x", Expect::Opaque("commands from a file")),
            ("lftp -c 'open h; ls'", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["openssl"],
        syntax: Syntax {
            flags: "-*",
            valued: "-in -out -engine -provider -provider-path -config -keyout -inkey -CAfile -CApath -cert -key -connect -host -port -accept -writerand -rand -pass -passin -passout -extfile -CA -CAkey -CAserial -certout -chainout -certsout -reqout -keylogfile -sign -signkey -force_pubkey",
            ..Syntax::SINGLE
        },
        rules: &[
            when(
                &[Has("-engine -provider -provider-path -config")],
                Does::Hides("`openssl` with a library of its own choice"),
            ),
            when(&[Operand("engine")], Does::Hides("`openssl` with a library of its own choice")),
            when(&[First("s_client s_time s_server ocsp ts")], Does::NeedsNetwork),
            always(Does::Connects(At::Value("-connect -host"))),
            always(Does::Writes(At::Value(
                "-out -keyout -writerand -CAserial -certout -chainout -certsout -reqout -keylogfile",
            ))),
            always(Does::Reads(At::Value("-in -inkey -key -cert -extfile -CA -CAkey -sign -signkey -force_pubkey"))),
            always(Does::Reads(At::ValueRest("-pass -passin -passout", "file:"))),
        ],
        examples: &[
            ("openssl req -engine ./x.so", Expect::Opaque("a library of its own choice")),
            ("openssl s_client -connect h:443", Expect::Connects("tcp://h:443")),
            ("openssl enc -in private/x -out y", Expect::Reads("private/x")),
            ("openssl enc -in x -out .envrc", Expect::Writes(".envrc")),
            ("openssl x509 -CAserial .envrc", Expect::Writes(".envrc")),
            ("openssl rand -hex 16", Expect::Plain),
        ],
        ..Program::NEW
    },
];

/// What the addresses of `socat` say: `exec:LINE`, `tcp:HOST:PORT`, `open:FILE`.
fn addresses(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut found = Vec::new();
    for operand in parsed.operands() {
        let (kind, rest) = operand.text.split_once(':').unwrap_or((&operand.text, ""));
        let kind = kind.to_lowercase();
        let value = |text: &str| Value { text: text.to_owned(), ..operand.clone() };
        let first = rest.split(',').next().unwrap_or_default();
        if ["exec", "system", "shell", "sh-c", "cmd", "readclose"].iter().any(|one| kind.starts_with(one)) {
            found.push(Effect::hidden(HANDS));
            found.push(Effect::Line(value(first)));
        } else if ["open", "creat", "create", "gopen", "file", "readfile", "writefile", "appendfile", "rename"]
            .contains(&kind.as_str())
        {
            found.push(Effect::path(value(first), Access::Write));
            found.push(Effect::path(value(first), Access::Read));
        } else if ["tcp", "udp", "openssl", "ssl", "ws", "wss", "sctp", "socks", "proxy"]
            .iter()
            .any(|one| kind.starts_with(one))
        {
            found.push(Effect::Host(value(first)));
        }
    }
    found
}
