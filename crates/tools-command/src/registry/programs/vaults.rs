//! Programs that store credentials: commands that show, change or remove them.

use crate::registry::prelude::*;

const CHANGES: Does = Is(Consequence::ChangesIdentity);
const REMOVES: Does = Says(Consequence::DeletesForOthers, "removes what others may use");

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["vault", "openbao"],
        flags: "-h|-help --help -version -force -f -wrap-ttl -tls-skip-verify -*",
        valued: "-address -namespace -ca-cert -ca-path -client-cert -client-key -format -field -method -mount -path -output-policy -log-level -config -exec",
        rules: &[
            when(First("read print unwrap"), SHOWS),
            when_all(&[First("kv"), Operand("get")], SHOWS),
            when_all(&[First("token"), Operand("create lookup")], SHOWS),
            when(
                First(
                    "login auth token policy audit secrets operator lease namespace plugin ssh transit transform pki",
                ),
                CHANGES,
            ),
            when(First("write patch"), CHANGES),
            when_all(&[First("kv"), Operand("put patch rollback enable-versioning")], CHANGES),
            when(First("delete"), REMOVES),
            when_all(&[First("kv"), Operand("delete destroy metadata undelete")], REMOVES),
            when_all(
                &[First("agent proxy server debug"), Has("-config -exec")],
                Hides("a program that is started with credentials"),
            ),
        ],
        examples: &[
            ("vault kv get secret/x", Expect::Asks("shows credentials")),
            ("vault read secret/x", Expect::Asks("shows credentials")),
            ("vault -address=http://h kv put secret/x a=b", Expect::Asks("accounts or credentials")),
            ("vault login", Expect::Asks("accounts or credentials")),
            ("vault kv delete secret/x", Expect::Asks("others may use")),
            ("vault agent -config=x", Expect::Opaque("started with credentials")),
        ],
        plain_lines: &["vault status", "vault kv list secret/"],
        ..Program::SINGLE
    },
    Program {
        family: &["gpg", "gpg2", "gpgsm"],
        flags: "--export-secret-keys --export-secret-subkeys --export-ssh-key --delete-secret-keys --delete-keys --delete-secret-and-public-keys --send-keys \
                    --quick-generate-key --full-generate-key --generate-key|--gen-key -*",
        valued: "-o|--output --homedir --agent-program --pinentry-program --dirmngr-program --photo-viewer --options --passphrase-fd -r|--recipient -u|--local-user --status-file --logger-file --attribute-file",
        rules: &[
            when(
                Has("--agent-program --pinentry-program --dirmngr-program --photo-viewer --options"),
                Hides("a program of one's own choice that sees credentials"),
            ),
            when(Has("--export-secret-keys --export-secret-subkeys --export-ssh-key"), SHOWS),
            when(
                Has(
                    "--delete-secret-keys --delete-keys --delete-secret-and-public-keys --send-keys --quick-generate-key --full-generate-key --generate-key",
                ),
                CHANGES,
            ),
            always(Writes(At::Value("--output --status-file --logger-file --attribute-file"))),
        ],
        examples: &[
            ("gpg --logger-file .envrc --verify x", Expect::Writes(".envrc")),
            ("gpg --photo-viewer ./x --list-keys", Expect::Opaque("of one's own choice")),
            ("gpg --armor --export-secret-keys x", Expect::Asks("shows credentials")),
            ("gpg --gen-key", Expect::Asks("accounts or credentials")),
            ("gpg -o .envrc -d x", Expect::Writes(".envrc")),
        ],
        plain_lines: &["gpg -e -r me x", "gpg --verify x.sig x"],
        ..Program::GNU
    },
    Program {
        family: &["age", "rage"],
        flags: "-d|--decrypt -e|--encrypt -a|--armor -p|--passphrase -v|--version",
        valued: "-o|--output -r|--recipient -R|--recipients-file -i|--identity -j",
        rules: &[
            always(Reads(At::All)),
            always(Reads(At::Value("-R -i"))),
            always(Writes(At::Value("-o"))),
            when(Has("-j"), Hides("a program of one's own choice that sees credentials")),
        ],
        examples: &[
            ("age -d -o .envrc x", Expect::Writes(".envrc")),
            ("age -j ./x -d y", Expect::Opaque("of one's own choice")),
        ],
        plain_lines: &["age -r age1x -o y.age y"],
        ..Program::GNU
    },
    Program {
        family: &["pass", "gopass"],
        flags: "-*",
        rules: &[
            when(First("git"), RunsWords(At::From(0))),
            when(First("insert add edit generate rm remove delete mv rename cp copy init sync"), CHANGES),
            when_all(
                &[
                    AtLeast(1),
                    FirstIsNot(
                        "git insert add edit generate rm remove delete mv rename cp copy init sync ls list find search grep \
                         help version",
                    ),
                ],
                SHOWS,
            ),
        ],
        examples: &[
            ("pass mail/x", Expect::Asks("shows credentials")),
            ("pass show -c mail/x", Expect::Asks("shows credentials")),
            ("pass rm -rf mail", Expect::Asks("accounts or credentials")),
            ("pass git push", Expect::Runs("git push")),
        ],
        plain_lines: &["pass ls", "pass"],
        ..Program::LEADING
    },
    Program {
        family: &[
            "bw", "lpass", "keepassxc-cli", "1pass", "dashlane", "dcli", "protonpass", "rbw", "kpcli", "secret-tool",
            "keyring", "kwallet-query", "security",
        ],
        flags: "-h|--help -V|--version -v --raw --pretty --quiet -q --all --clip -c -*",
        valued: "--session --organizationid --itemid --output -k|--key-file --search --folderid -a -s -l",
        rules: &[
            when(
                First(
                    "get show export find-generic-password find-internet-password dump-keychain lookup search clip unlock code note password read",
                ),
                SHOWS,
            ),
            when_all(&[First("list"), Operand("items")], SHOWS),
            when(
                First(
                    "login logout lock create edit delete restore move confirm import add rm generate duplicate set del clear store \
                     add-generic-password add-internet-password delete-generic-password delete-keychain set-key-partition-list import share",
                ),
                CHANGES,
            ),
            always(Writes(At::Value("--output"))),
        ],
        examples: &[
            ("bw get password x", Expect::Asks("shows credentials")),
            ("bw --raw unlock", Expect::Asks("shows credentials")),
            ("secret-tool lookup a b", Expect::Asks("shows credentials")),
            ("security find-generic-password -s x -w", Expect::Asks("shows credentials")),
            ("keyring set a b", Expect::Asks("accounts or credentials")),
            ("bw list items", Expect::Asks("shows credentials")),
        ],
        plain_lines: &["bw status", "lpass ls"],
        ..Program::EXACT
    },
];
