//! Services of developers: reports, builds, signatures and events that are handed to them.

use crate::registry::{
    ArgumentCondition::{self, AtLeast, AtMost, Fed, First, FirstIsNot, Has, Lacks, Operand, OperandStarts},
    At, Consequence, Does, Expect, Program, Syntax, always, when,
};

const ANY: Syntax = Syntax { flags: "-h|--help -v|--version -V --dry-run -*", ..Syntax::EXACT };
const ASKS: ArgumentCondition = Lacks("-h --help -v --version -V --dry-run");
const PUBLISHES: Does = Does::Is(Consequence::Publishes);
const REMOVES: Does = Does::Says(Consequence::DeletesForOthers, "removes what others may use");
const CHANGES: Does = Does::Says(Consequence::DeletesForOthers, "changes what others may use");
const LOGIN: Does = Does::Is(Consequence::ChangesIdentity);

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["semgrep", "snyk", "checkmarx", "fossa", "socket-cli", "endorctl", "ggshield", "bearer"],
        is_family: true,
        syntax: ANY,
        rules: &[
            when(&[First("login logout auth")], LOGIN),
            when(&[First("ci monitor publish analyze upload report policy"), ASKS], PUBLISHES),
            when(&[First("install")], Does::Is(Consequence::ChangesSystem)),
        ],
        examples: &[
            ("semgrep ci", Expect::Asks("publishes")),
            ("snyk monitor", Expect::Asks("publishes")),
            ("snyk auth", Expect::Asks("accounts or credentials")),
            ("semgrep scan --config auto", Expect::Plain),
            ("snyk test", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "sonar-scanner",
            "sonarqube-scanner",
            "chromatic",
            "percy",
            "argos",
            "happo",
            "sentry-cli",
            "datadog-ci",
            "bugsnag-cli",
            "rollbar-cli",
            "codacy-coverage-reporter",
            "cc-test-reporter",
            "buildkite-agent",
            "test-reporter",
            "launchdarkly",
            "ldcli",
            "newrelic",
            "honeymarker",
        ],
        is_family: true,
        syntax: ANY,
        rules: &[
            when(&[ASKS, FirstIsNot("info help list get describe version login logout")], PUBLISHES),
            when(&[First("login logout")], LOGIN),
        ],
        examples: &[
            ("sonar-scanner -Dsonar.host.url=http://h", Expect::Asks("publishes")),
            ("chromatic --project-token=x", Expect::Asks("publishes")),
            ("sentry-cli releases new x", Expect::Asks("publishes")),
            ("datadog-ci junit upload x", Expect::Asks("publishes")),
            ("sentry-cli login", Expect::Asks("accounts or credentials")),
            ("sentry-cli info", Expect::Plain),
            ("chromatic --help", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "cosign", "notation", "rekor-cli", "oras", "regctl", "crane", "gcrane", "slsa-generator", "witness",
            "gitsign",
        ],
        is_family: true,
        syntax: ANY,
        rules: &[
            when(
                &[
                    First(
                        "sign sign-blob attest attest-blob attach upload push copy cp put import tag blob artifact append mutate rebase flatten",
                    ),
                    ASKS,
                ],
                PUBLISHES,
            ),
            when(&[First("clean delete rm")], REMOVES),
            when(&[Operand("delete rm")], REMOVES),
            when(&[First("login logout generate-key-pair import-key-pair cert key initialize")], LOGIN),
        ],
        examples: &[
            ("cosign sign x", Expect::Asks("publishes")),
            ("oras push h/x a.txt", Expect::Asks("publishes")),
            ("oras manifest delete x", Expect::Asks("others may use")),
            ("crane tag x y", Expect::Asks("publishes")),
            ("crane delete x", Expect::Asks("others may use")),
            ("crane manifest x", Expect::Plain),
            ("cosign login h", Expect::Asks("accounts or credentials")),
            ("cosign verify x", Expect::Plain),
            ("oras pull x", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "stripe", "twilio", "auth0", "okta", "shopify", "plaid", "algolia", "contentful", "sanity", "ably",
            "pusher", "resend", "postmark", "mailchimp", "hubspot", "hs", "sfdx", "sf", "zapier", "slack", "discord",
            "jira", "trello",
        ],
        is_family: true,
        syntax: Syntax {
            valued: "-a|--assignee -y|--priority -s|--status -t|--type -p|--project -q|--jql -b|--body --summary --parent",
            ..ANY
        },
        rules: &[
            when(&[First("login logout auth config profiles init"), ASKS], LOGIN),
            when(
                &[
                    ASKS,
                    Operand(
                        "create update edit push deploy promote comment assign move transition invoke trigger send set add close reopen publish \
                         rollback install import upload retry resend post confirm capture refund clone fixtures link unlink worklog watch migrate \
                         activate enable disable rotate broadcast",
                    ),
                ],
                CHANGES,
            ),
            when(&[Operand("delete destroy remove rm uninstall cancel"), ASKS], REMOVES),
        ],
        examples: &[
            ("stripe trigger payment_intent.succeeded", Expect::Asks("others may use")),
            ("stripe customers delete x", Expect::Asks("others may use")),
            ("stripe login", Expect::Asks("accounts or credentials")),
            ("shopify theme push", Expect::Asks("others may use")),
            ("slack deploy", Expect::Asks("others may use")),
            ("jira issue create", Expect::Asks("others may use")),
            ("stripe logs tail", Expect::Plain),
            ("jira issue ls", Expect::Plain),
            ("shopify version", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "eas", "expo", "ng", "ionic", "web-ext", "elm", "elm-publish", "react-native", "appcenter", "capacitor",
            "tns", "nativescript", "tauri", "electron-builder", "electron-forge",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help -v|--version -V --dry-run --auto --auto-submit --non-interactive -*",
            valued: "-p|--platform --profile --channel --branch -m|--message --config -c --target",
            ..ANY
        },
        rules: &[
            when(
                &[First("publish submit deploy sign bump codepush release channel:edit workflow:run"), ASKS],
                PUBLISHES,
            ),
            when(&[First("build"), Has("--auto-submit --non-interactive")], PUBLISHES),
            when(&[OperandStarts("update: branch:delete channel:delete"), ASKS], PUBLISHES),
            when(&[First("update"), Has("--branch --channel --auto")], PUBLISHES),
            when(
                &[First("login logout credentials whoami-token device:create secret:create env:create env:push")],
                LOGIN,
            ),
            when(&[First("env:pull env:get secret:list")], Does::Is(Consequence::ShowsCredentials)),
        ],
        examples: &[
            ("eas submit -p ios", Expect::Asks("publishes")),
            ("eas update --branch main", Expect::Asks("publishes")),
            ("ng deploy", Expect::Asks("publishes")),
            ("web-ext sign", Expect::Asks("publishes")),
            ("elm publish", Expect::Asks("publishes")),
            ("expo login", Expect::Asks("accounts or credentials")),
            ("expo start", Expect::Plain),
            ("ng build", Expect::Plain),
            ("ng update", Expect::Plain),
            ("elm make src/Main.elm", Expect::Plain),
            ("tauri build", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "azd", "copilot", "eksctl-anywhere", "kops", "velero", "linkerd", "cilium", "clusterctl", "talosctl",
            "rancher", "kubeadm", "k9s", "werf", "garden-cli", "ksail", "sst", "encore", "nitric", "spin", "chalice",
            "zappa", "claudia",
        ],
        is_family: true,
        syntax: Syntax {
            valued: "-n|--name --namespace --context --kubeconfig -e|--environment --env --stage --state --profile",
            ..ANY
        },
        rules: &[
            when(&[Operand("delete down remove rm destroy reset uninstall undeploy purge drain"), ASKS], REMOVES),
            when(
                &[
                    First(
                        "up deploy provision create update upgrade install apply init join restore replace edit rolling-update package inject converge \
                         patch set rollback bootstrap apply-config import",
                    ),
                    ASKS,
                ],
                CHANGES,
            ),
            when(&[First("auth login logout token"), ASKS], LOGIN),
            when(&[First("exec ssh shell dashboard")], Does::Hides("a cluster tool that runs what it is told to")),
        ],
        examples: &[
            ("azd up", Expect::Asks("others may use")),
            ("azd down --force", Expect::Asks("others may use")),
            ("copilot svc delete", Expect::Asks("others may use")),
            ("copilot deploy", Expect::Asks("others may use")),
            ("kops delete cluster x", Expect::Asks("others may use")),
            ("velero backup delete x", Expect::Asks("others may use")),
            ("linkerd install", Expect::Asks("others may use")),
            ("azd auth login", Expect::Asks("accounts or credentials")),
            ("kops get cluster", Expect::Plain),
            ("velero backup get", Expect::Plain),
            ("linkerd check", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["grpcurl", "evans", "ghz", "hurl", "bru", "httpyac", "posting"],
        is_family: true,
        syntax: Syntax {
            valued: "-d|--data -H|--header -e|--environment -o|--output -import-path -proto --env -r|--reporters",
            ..ANY
        },
        rules: &[when(&[ASKS], Does::NeedsNetwork), always(Does::Writes(At::Value("--output")))],
        examples: &[
            ("grpcurl -plaintext localhost:9000 list", Expect::Plain),
            ("bru run --output .envrc", Expect::Writes(".envrc")),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "jenkins-cli", "travis", "azure-pipelines", "teamcity", "appveyor", "wercker", "spacectl", "octopus",
            "harness",
        ],
        is_family: true,
        syntax: ANY,
        rules: &[
            when(
                &[
                    ASKS,
                    FirstIsNot(
                        "list get show logs log status history help whoami lint open monitor raw version qdisc class filter -s",
                    ),
                ],
                CHANGES,
            ),
            when(&[First("login logout token encrypt encrypt-file env settings")], LOGIN),
        ],
        examples: &[
            ("travis restart 1", Expect::Asks("others may use")),
            ("jenkins-cli build x", Expect::Asks("others may use")),
            ("travis login", Expect::Asks("accounts or credentials")),
            ("travis lint", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["adb", "hdc", "idevice_id", "ideviceinstaller", "ios-deploy", "idb"],
        is_family: true,
        syntax: Syntax {
            flags: "-a -d -e -h|--help --version -*",
            valued: "-s -t -H -P -L --udid -u -i -b",
            ..Syntax::LEADING
        },
        rules: &[
            when(&[First("shell exec-out"), AtLeast(2)], Does::RunsLineThere(At::From(1))),
            when(&[First("shell"), AtMost(1), Fed], Does::Hides("a device that runs what it reads")),
            when(
                &[First(
                    "install install-multiple uninstall root unroot remount sideload restore reboot disable-verity enable-verity usb tcpip sync",
                )],
                Does::Says(Consequence::ChangesSystem, "changes a device"),
            ),
            when(&[First("push"), AtLeast(2)], Does::Reads(At::Nth(1))),
            when(&[First("pull"), AtLeast(3)], Does::Writes(At::Nth(2))),
            when(&[First("connect")], Does::Connects(At::Nth(1))),
        ],
        examples: &[
            ("adb shell rm -rf /sdcard/x", Expect::Asks("runs `rm -rf /sdcard/x` elsewhere")),
            ("adb -s emulator-5554 install x.apk", Expect::Asks("changes a device")),
            ("adb pull /sdcard/x .envrc", Expect::Writes(".envrc")),
            ("adb devices", Expect::Plain),
            ("adb logcat -d", Expect::Plain),
            ("adb shell ls", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["notarytool", "altool", "iTMSTransporter", "stapler"],
        is_family: true,
        syntax: Syntax { flags: "--upload-app --upload-package --notarize-app -*", ..Syntax::SINGLE },
        rules: &[
            when(&[First("submit")], PUBLISHES),
            when(&[Has("--upload-app --upload-package --notarize-app")], PUBLISHES),
            when(&[First("store-credentials")], LOGIN),
        ],
        examples: &[
            ("xcrun notarytool submit x.zip", Expect::Asks("publishes")),
            ("xcrun altool --upload-app -f x.ipa", Expect::Asks("publishes")),
            ("xcrun notarytool history", Expect::Plain),
        ],
        ..Program::NEW
    },
];
