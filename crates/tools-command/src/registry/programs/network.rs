//! Programs that open connections, listen, or scan a network.

use crate::reader::Value;
use crate::registry::prelude::*;
use tools_core::Access;

const HANDS: &str = "a connection that is handed to a program";

pub(super) static ALL: &[Program] = &[
    Program {
        family: &[
            "telnet", "ftp", "tftp", "drill", "ping", "ping6", "traceroute", "traceroute6", "tracepath", "mtr",
            "masscan", "links", "elinks", "w3m", "lynx", "rlogin", "rsh", "whois", "hping3", "arping", "fping",
            "iperf", "iperf3", "finger", "ntpdate", "snmpwalk", "smbclient", "nikto", "ab", "hey",
        ],
        flags: "-*",
        valued: "-cfg -c -F -config",
        rules: &[
            when(Lacks("-V -h --help --version"), NeedsNetwork),
            when(OperandStarts("!"), Hides("a program of the network that runs a command")),
        ],
        examples: &[("ftp '!sh'", Expect::Opaque("runs a command"))],
        plain_lines: &["ping -c 1 x"],
        ..Program::EXACT
    },
    Program {
        family: &["wrk", "wrk2"],
        flags: "--latency -v|--version",
        valued: "-t|--threads -c|--connections -d|--duration -s|--script -H|--header --timeout -R|--rate",
        rules: &[always(RunsScript(At::Value("--script"))), always(Connects(At::Nth(0)))],
        examples: &[
            ("wrk -s x.lua http://h", Expect::Scripts("x.lua")),
            ("wrk -t2 -c10 http://h/", Expect::Connects("http://h/")),
        ],
        ..Program::EXACT
    },
    Program {
        family: &["dig", "nslookup", "host", "delv"],
        flags: "-*",
        valued: "-f -k -p -q -t -b -c -x -y",
        rules: &[when(Lacks("-v -V -h --help"), NeedsNetwork), always(Reads(At::Value("-f -k")))],
        examples: &[("dig -f private/x", Expect::Reads("private/x"))],
        plain_lines: &["host example.org"],
        ..Program::EXACT
    },
    Program {
        family: &["nc", "ncat", "netcat", "nc.openbsd", "nc.traditional"],
        flags: "-4 -6 -A -b -C|--crlf -D -d -h -k|--keep-open -l|--listen -N -n|--nodns -r -S -t|--telnet -U|--unixsock -u|--udp -v|--verbose -z --ssl --sctp \
                    --no-shutdown --send-only --recv-only --chat --broker --ssl-verify --append-output -a",
        valued: "-c|--sh-exec -e|--exec --lua-exec -g -G -i|--idle-timeout -I -M -m|--max-conns -O -o|--output -P -p|--source-port -q -s|--source -T -V \
                     -w|--wait -W -X -x|--hex-dump --proxy --proxy-type --proxy-auth --allow --allowfile --deny --denyfile --ssl-cert --ssl-key",
        rules: &[
            when(Lacks("-h"), NeedsNetwork),
            when(Lacks("--listen"), Connects(At::Nth(0))),
            always(RunsLine(At::Value("--sh-exec --exec"))),
            when(Has("--sh-exec --exec --lua-exec"), Hides(HANDS)),
            always(Writes(At::Value("--output --hex-dump"))),
        ],
        examples: &[
            ("nc -e /bin/sh h 1", Expect::Opaque(HANDS)),
            ("nc -lvp 4444 -e sh", Expect::Opaque(HANDS)),
            ("ncat --sh-ex 'rm -rf x' h 1", Expect::Runs("rm -rf x")),
            ("ncat --lua-exec x h 1", Expect::Opaque(HANDS)),
            ("nc -z h 80", Expect::Connects("tcp://h")),
        ],
        ..Program::GNU
    },
    Program {
        family: &["socat", "websocat"],
        flags: "-*",
        valued: "-b -f -L -lf -lp -r -R -s -S -t -T -W -H --header",
        rules: &[
            when(Lacks("-V -h -hh -hhh -?"), NeedsNetwork),
            always(By(addresses)),
            always(Decides(At::All)),
            always(Writes(At::Value("-r -R -lf"))),
        ],
        examples: &[
            ("socat - exec:/bin/sh", Expect::Opaque(HANDS)),
            ("socat - EXEC:'rm -rf x',pty,stderr", Expect::Runs("rm -rf x")),
            ("socat tcp:h:1 SYSTEM:'rm -rf x'", Expect::Runs("rm -rf x")),
            ("websocat ws://h sh-c:'rm -rf x'", Expect::Opaque(HANDS)),
            ("socat -u file:private/x -", Expect::Reads("private/x")),
            ("socat - open:.envrc,create", Expect::Writes(".envrc")),
        ],
        plain_lines: &["socat -V"],
        ..Program::SINGLE
    },
    Program {
        names: &["nmap"],
        flags: "-*",
        valued: "-oN -oX -oG -oA -oS -oM -iL --script --script-args --script-args-file --interactive --datadir --resume --stylesheet --excludefile --exclude -e -S -p \
                     --top-ports --min-rate --max-rate --host-timeout --servicedb --versiondb",
        rules: &[
            when(Lacks("-V -h"), NeedsNetwork),
            when(Has("--script --interactive --datadir"), Hides("`nmap` with a script")),
            always(Writes(At::Value("-oN -oX -oG -oA -oS -oM"))),
            always(Reads(At::Value("-iL --excludefile --resume"))),
        ],
        examples: &[
            ("nmap --script ./x h", Expect::Opaque("with a script")),
            ("nmap --script=./x h", Expect::Opaque("with a script")),
            ("nmap -oG .envrc h", Expect::Writes(".envrc")),
            ("nmap -iL private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["nmap -sV h"],
        ..Program::SINGLE
    },
    Program {
        family: &["tcpdump", "tshark", "dumpcap", "ngrep"],
        flags: "-*",
        valued: "-B -c -C -E -F -G -i -m -M -r -s -T -V -w -W -y -z -Z -X -a -b -f -Y -O",
        rules: &[
            always(RunsLineWithMore(At::Value("-z"))),
            when(Has("-z"), Hides("a capture that hands its files to a program")),
            when(ValueHas("-X", "lua_script read_format"), Hides("a capture with a script")),
            always(Writes(At::Value("-w"))),
            always(Reads(At::Value("-r -F"))),
        ],
        examples: &[
            ("tcpdump -lni lo -w /dev/null -W 1 -G 1 -z ./x", Expect::Opaque("hands its files to a program")),
            ("tshark -Xlua_script:x", Expect::Opaque("with a script")),
            ("tcpdump -w .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["tcpdump -nn -i lo"],
        ..Program::EXACT
    },
    Program {
        names: &["lftp"],
        flags: "-*",
        valued: "-c -e -f -u -p --rcfile",
        rules: &[
            always(NeedsNetwork),
            when(ValueHas("-c -e", "! shell local source glob"), Hides("`lftp` that runs a command")),
            when(Has("-f --rcfile"), Hides("`lftp` with commands from a file")),
        ],
        examples: &[
            ("lftp -c '!sh'", Expect::Opaque("runs a command")),
            ("lftp -f x", Expect::Opaque("commands from a file")),
        ],
        plain_lines: &["lftp -c 'open h; ls'"],
        ..Program::EXACT
    },
    Program {
        names: &["openssl"],
        flags: "-*",
        valued: "-in -out -engine -provider -provider-path -config -keyout -inkey -CAfile -CApath -cert -key -connect -host -port -accept -writerand -rand -pass -passin -passout -extfile -CA -CAkey -CAserial -certout -chainout -certsout -reqout -keylogfile -sign -signkey -force_pubkey",
        rules: &[
            when(Has("-engine -provider -provider-path -config"), Hides("`openssl` with a library of its own choice")),
            when(Operand("engine"), Hides("`openssl` with a library of its own choice")),
            when(First("s_client s_time s_server ocsp ts"), NeedsNetwork),
            always(Connects(At::Value("-connect -host"))),
            always(Writes(At::Value(
                "-out -keyout -writerand -CAserial -certout -chainout -certsout -reqout -keylogfile",
            ))),
            always(Reads(At::Value("-in -inkey -key -cert -extfile -CA -CAkey -sign -signkey -force_pubkey"))),
            always(Reads(At::ValueRest("-pass -passin -passout", "file:"))),
        ],
        examples: &[
            ("openssl req -engine ./x.so", Expect::Opaque("a library of its own choice")),
            ("openssl s_client -connect h:443", Expect::Connects("tcp://h:443")),
            ("openssl enc -in private/x -out y", Expect::Reads("private/x")),
            ("openssl enc -in x -out .envrc", Expect::Writes(".envrc")),
            ("openssl x509 -CAserial .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["openssl rand -hex 16"],
        ..Program::SINGLE
    },
];

/// Effects of the addresses of `socat`: `exec:LINE`, `tcp:HOST:PORT`, `open:FILE`.
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
