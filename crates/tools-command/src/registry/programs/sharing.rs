//! Programs that send files or messages to other people, or make this machine reachable for them.

use crate::registry::prelude::*;

const ANY: Program = Program { flags: "-h|--help -V|--version -p|--port --subdomain --url -*", ..Program::EXACT };
const SENDS: Does = Says(Consequence::Publishes, "hands something to others, which cannot be undone");
const OPENS: Does = Says(Consequence::Publishes, "makes this machine reachable for others");

pub(super) static ALL: &[Program] = &[
    Program {
        family: &[
            "croc", "wormhole", "ffsend", "transfersh", "transfer.sh", "pastebinit", "wgetpaste", "termbin",
            "slackcat", "telegram-send", "signal-cli", "gist-paste", "magic-wormhole", "onionshare-cli", "webwormhole",
            "ww", "portal", "wall", "write", "rwall", "notify-slack", "slackdump", "ipfs", "storj", "uplink",
            "filesender", "haste", "dpaste", "0x0",
        ],
        rules: &[
            when_all(
                &[
                    Lacks("-h --help -V --version"),
                    FirstIsNot("receive recv get cat ls id version help exists history info status"),
                ],
                SENDS,
            ),
            when(Lacks("-h --help -V --version"), Reads(At::All)),
            when(Lacks("-h --help -V --version"), NeedsNetwork),
        ],
        examples: &[
            ("croc send x", Expect::Asks("hands something to others")),
            ("pastebinit private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["wormhole receive 1-a-b", "croc --version"],
        ..ANY
    },
    Program {
        family: &[
            "sendmail", "msmtp", "ssmtp", "swaks", "mutt-send", "mailsend", "exim", "exim4", "postdrop", "sendemail",
            "s-mail",
        ],
        flags: "-t -i -oi -v -n -bp -bv -V|--version -h|--help -*",
        valued: "-f -F -C|--file -X -O -o --passwordeval --attach --body -be -Mc -a --account --host --server",
        rules: &[
            when(Lacks("-bp -bv -V -h"), SENDS),
            when(Has("-C -be -O -Mc --passwordeval"), Hides("a mailer with settings or commands of its own choice")),
            always(RunsLine(At::Value("--passwordeval"))),
            always(Writes(At::Value("-X"))),
            always(Reads(At::Value("--attach --body"))),
        ],
        examples: &[
            ("sendmail me@host", Expect::Asks("hands something to others")),
            ("msmtp --passwordeval='rm -rf x' a", Expect::Runs("rm -rf x")),
            ("sendmail -X .envrc a", Expect::Writes(".envrc")),
            ("exim -be '${run{id}}'", Expect::Opaque("of its own choice")),
        ],
        plain_lines: &["sendmail -bp"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "cloudflared", "tailscale", "zrok", "bore", "frpc", "localtunnel", "lt", "tunnelto", "localhost.run",
            "headscale", "netbird", "ngrok", "pagekite", "expose", "devtunnel",
        ],
        rules: &[
            when(
                First(
                    "tunnel serve funnel share up local http https tcp tls start service host set login logout switch file ssh cert down access reserve",
                ),
                OPENS,
            ),
            when(Has("--port -p --subdomain --url"), OPENS),
            when_all(&[First("ssh"), AtLeast(3)], RunsThere(At::From(2))),
        ],
        examples: &[
            ("cloudflared tunnel --url http://localhost:8000", Expect::Asks("reachable for others")),
            ("tailscale funnel 3000", Expect::Asks("reachable for others")),
            ("ngrok http 80", Expect::Asks("reachable for others")),
            ("lt --port 8000", Expect::Asks("reachable for others")),
        ],
        plain_lines: &["tailscale status"],
        ..ANY
    },
    Program {
        family: &["tmate", "upterm", "sshx", "teleconsole"],
        flags: "-h|--help -v|--version|-V -*",
        valued: "-c|--command -f -S -L -p|--port -i -u -g -t -w",
        rules: &[
            always(RunsLine(At::Value("--command"))),
            always(RunsWords(At::AfterDashes)),
            when(Lacks("-h -v"), OPENS),
        ],
        examples: &[
            ("tmate -c 'sudo id'", Expect::Denied("takes other rights")),
            ("upterm host -- sudo id", Expect::Denied("takes other rights")),
            ("tmate", Expect::Asks("reachable for others")),
        ],
        plain_lines: &["tmate -V"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "lp", "lpr", "lpadmin", "cupsctl", "cupsfilter", "lprm", "cancel", "cupsenable", "cupsdisable", "lpmove",
            "lpoptions",
        ],
        flags: "-E -c -s -m -r -l -p -h|--help -*",
        valued: "-d -P -n -o -t -U -C -i -e -m -x -v -# -T -J -q",
        rules: &[
            when(Lacks("-h --help"), By(prints)),
            when(Has("-e -i"), Hides("a printer with a program of its own choice")),
            always(Reads(At::All)),
        ],
        examples: &[
            ("lp x.pdf", Expect::Asks("hands something to others")),
            ("lpr private/x", Expect::Reads("private/x")),
            ("lpadmin -p x -i ./y", Expect::Opaque("of its own choice")),
            ("lpadmin -p x -v y", Expect::Asks("changes the system")),
            ("cupsfilter -e -m x y", Expect::Opaque("of its own choice")),
        ],
        ..Program::EXACT
    },
    Program {
        family: &[
            "mosquitto_pub", "kcat", "kafkacat", "nats", "amqp-publish", "rabbitmqadmin", "rabbitmqctl",
            "kafka-console-producer.sh", "kafka-topics.sh",
        ],
        flags: "--delete -*",
        valued: "-h|--host -b|--brokers|--bootstrap-server|-server|--server -t|--topic -p|--port -m|--message -f|--file -u -P -F --url|-u",
        rules: &[
            always(NeedsNetwork),
            always(Connects(At::Value("-h -b"))),
            always(Reads(At::Value("-f"))),
            when(First("eval"), Hides("code that a server runs")),
            when(Has("--delete"), Is(Consequence::DeletesForOthers)),
            always(By(sent)),
            when(
                Operand(
                    "delete purge pub publish rm delete_queue delete_vhost delete_user reset force_reset stop stop_app add_user change_password \
                     set_permissions clear_password request",
                ),
                Is(Consequence::DeletesForOthers),
            ),
            when(Has("--delete"), Is(Consequence::DeletesForOthers)),
        ],
        examples: &[
            ("mosquitto_pub -h host -t x -m y", Expect::Connects("tcp://host")),
            ("mosquitto_pub -h host -t x -f private/y", Expect::Reads("private/y")),
            ("rabbitmqctl eval 'os:cmd(\"id\").'", Expect::Opaque("a server runs")),
            ("nats pub x y", Expect::Asks("others may use")),
        ],
        plain_lines: &["rabbitmqctl list_queues"],
        ..Program::EXACT
    },
];

/// Printing cannot be undone; the other programs change the printers.
fn prints(parsed: &Parsed<'_>) -> Vec<Effect> {
    match parsed.command.name() {
        "lp" | "lpr" => vec![Effect::says(Consequence::Publishes, "hands something to others, which cannot be undone")],
        "cupsfilter" | "lpoptions" => Vec::new(),
        _ => vec![Effect::is(Consequence::ChangesSystem)],
    }
}

/// Messages that a broker client sends to subscribers.
fn sent(parsed: &Parsed<'_>) -> Vec<Effect> {
    let sends = match parsed.command.name() {
        "kcat" | "kafkacat" => parsed.has("-P"),
        "mosquitto_pub" | "amqp-publish" | "kafka-console-producer.sh" => true,
        _ => false,
    };
    let says = || Effect::says(Consequence::Publishes, "hands something to others, which cannot be undone");
    sends.then(says).into_iter().collect()
}
