//! Developer services that receive reports, builds, signatures and events.

use crate::registry::prelude::*;

const ANY: Program = Program { flags: "-h|--help -v|--version -V --dry-run -*", ..Program::EXACT };
const ASKS: ArgumentCondition = Lacks("-h --help -v --version -V --dry-run");
const REMOVES: Does = Says(Consequence::DeletesForOthers, "removes what others may use");
const CHANGES: Does = Says(Consequence::DeletesForOthers, "changes what others may use");

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["semgrep", "snyk", "checkmarx", "fossa", "socket-cli", "endorctl", "ggshield", "bearer"],
        rules: &[
            when(First("login logout auth"), IDENTITY),
            when_all(&[First("ci monitor publish analyze upload report policy"), ASKS], PUBLISHES),
            when(First("install"), Is(Consequence::ChangesSystem)),
        ],
        examples: &[
            ("semgrep ci", Expect::Asks("publishes")),
            ("snyk monitor", Expect::Asks("publishes")),
            ("snyk auth", Expect::Asks("accounts or credentials")),
        ],
        plain_lines: &["semgrep scan --config auto", "snyk test"],
        ..ANY
    },
    Program {
        family: &[
            "sonar-scanner", "sonarqube-scanner", "chromatic", "percy", "argos", "happo", "sentry-cli", "datadog-ci",
            "bugsnag-cli", "rollbar-cli", "codacy-coverage-reporter", "cc-test-reporter", "buildkite-agent",
            "test-reporter", "launchdarkly", "ldcli", "newrelic", "honeymarker",
        ],
        rules: &[
            when_all(&[ASKS, FirstIsNot("info help list get describe version login logout")], PUBLISHES),
            when(First("login logout"), IDENTITY),
        ],
        examples: &[
            ("sonar-scanner -Dsonar.host.url=http://h", Expect::Asks("publishes")),
            ("chromatic --project-token=x", Expect::Asks("publishes")),
            ("sentry-cli releases new x", Expect::Asks("publishes")),
            ("datadog-ci junit upload x", Expect::Asks("publishes")),
            ("sentry-cli login", Expect::Asks("accounts or credentials")),
        ],
        plain_lines: &["sentry-cli info", "chromatic --help"],
        ..ANY
    },
    Program {
        family: &[
            "cosign", "notation", "rekor-cli", "oras", "regctl", "crane", "gcrane", "slsa-generator", "witness",
            "gitsign",
        ],
        rules: &[
            when_all(
                &[
                    First(
                        "sign sign-blob attest attest-blob attach upload push copy cp put import tag blob artifact append mutate rebase flatten",
                    ),
                    ASKS,
                ],
                PUBLISHES,
            ),
            when(First("pull"), Unpacks(At::Path("."))),
            when(First("clean delete rm"), REMOVES),
            when(Operand("delete rm"), REMOVES),
            when(First("login logout generate-key-pair import-key-pair cert key initialize"), IDENTITY),
        ],
        examples: &[
            ("cosign sign x", Expect::Asks("publishes")),
            ("oras push h/x a.txt", Expect::Asks("publishes")),
            ("oras manifest delete x", Expect::Asks("others may use")),
            ("crane tag x y", Expect::Asks("publishes")),
            ("crane delete x", Expect::Asks("others may use")),
            ("cosign login h", Expect::Asks("accounts or credentials")),
        ],
        plain_lines: &["crane manifest x", "cosign verify x", "oras pull x"],
        ..ANY
    },
    Program {
        family: &[
            "stripe", "twilio", "auth0", "okta", "shopify", "plaid", "algolia", "contentful", "sanity", "ably",
            "pusher", "resend", "postmark", "mailchimp", "hubspot", "hs", "sfdx", "sf", "zapier", "slack", "discord",
            "jira", "trello",
        ],
        valued: "-a|--assignee -y|--priority -s|--status -t|--type -p|--project -q|--jql -b|--body --summary --parent",
        rules: &[
            when_all(&[First("login logout auth config profiles init"), ASKS], IDENTITY),
            when_all(
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
            when_all(&[Operand("delete destroy remove rm uninstall cancel"), ASKS], REMOVES),
        ],
        examples: &[
            ("stripe trigger payment_intent.succeeded", Expect::Asks("others may use")),
            ("stripe customers delete x", Expect::Asks("others may use")),
            ("stripe login", Expect::Asks("accounts or credentials")),
            ("shopify theme push", Expect::Asks("others may use")),
            ("slack deploy", Expect::Asks("others may use")),
            ("jira issue create", Expect::Asks("others may use")),
        ],
        plain_lines: &["stripe logs tail", "jira issue ls", "shopify version"],
        ..ANY
    },
    Program {
        family: &[
            "eas", "expo", "ng", "ionic", "web-ext", "elm", "elm-publish", "react-native", "appcenter", "capacitor",
            "tns", "nativescript", "tauri", "electron-builder", "electron-forge",
        ],
        flags: "-h|--help -v|--version -V --dry-run --auto --auto-submit --non-interactive -*",
        valued: "-p|--platform --profile --channel --branch -m|--message --config -c --target",
        rules: &[
            when_all(
                &[First("publish submit deploy sign bump codepush release channel:edit workflow:run"), ASKS],
                PUBLISHES,
            ),
            when_all(&[First("build"), Has("--auto-submit --non-interactive")], PUBLISHES),
            when_all(&[OperandStarts("update: branch:delete channel:delete"), ASKS], PUBLISHES),
            when_all(&[First("update"), Has("--branch --channel --auto")], PUBLISHES),
            when(
                First("login logout credentials whoami-token device:create secret:create env:create env:push"),
                IDENTITY,
            ),
            when(First("env:pull env:get secret:list"), Is(Consequence::ShowsCredentials)),
        ],
        examples: &[
            ("eas submit -p ios", Expect::Asks("publishes")),
            ("eas update --branch main", Expect::Asks("publishes")),
            ("ng deploy", Expect::Asks("publishes")),
            ("web-ext sign", Expect::Asks("publishes")),
            ("elm publish", Expect::Asks("publishes")),
            ("expo login", Expect::Asks("accounts or credentials")),
        ],
        plain_lines: &["expo start", "ng build", "ng update", "elm make src/Main.elm", "tauri build"],
        ..ANY
    },
    Program {
        family: &[
            "azd", "copilot", "eksctl-anywhere", "kops", "velero", "linkerd", "cilium", "clusterctl", "talosctl",
            "rancher", "kubeadm", "k9s", "werf", "garden-cli", "ksail", "sst", "encore", "nitric", "spin", "chalice",
            "zappa", "claudia",
        ],
        valued: "-n|--name --namespace --context --kubeconfig -e|--environment --env --stage --state --profile",
        rules: &[
            when_all(&[Operand("delete down remove rm destroy reset uninstall undeploy purge drain"), ASKS], REMOVES),
            when_all(
                &[
                    First(
                        "up deploy provision create update upgrade install apply init join restore replace edit rolling-update package inject converge \
                         patch set rollback bootstrap apply-config import",
                    ),
                    ASKS,
                ],
                CHANGES,
            ),
            when_all(&[First("auth login logout token"), ASKS], IDENTITY),
            when(First("exec ssh shell dashboard"), Hides("a cluster tool that runs what it is told to")),
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
        ],
        plain_lines: &["kops get cluster", "velero backup get", "linkerd check"],
        ..ANY
    },
    Program {
        family: &["grpcurl", "evans", "ghz", "hurl", "bru", "httpyac", "posting"],
        valued: "-d|--data -H|--header -e|--environment -o|--output -import-path -proto --env -r|--reporters",
        rules: &[when(ASKS, NeedsNetwork), always(Writes(At::Value("--output")))],
        examples: &[("bru run --output .envrc", Expect::Writes(".envrc"))],
        plain_lines: &["grpcurl -plaintext localhost:9000 list"],
        ..ANY
    },
    Program {
        family: &[
            "jenkins-cli", "travis", "azure-pipelines", "teamcity", "appveyor", "wercker", "spacectl", "octopus",
            "harness",
        ],
        rules: &[
            when_all(
                &[
                    ASKS,
                    FirstIsNot(
                        "list get show logs log status history help whoami lint open monitor raw version qdisc class filter -s",
                    ),
                ],
                CHANGES,
            ),
            when(First("login logout token encrypt encrypt-file env settings"), IDENTITY),
        ],
        examples: &[
            ("travis restart 1", Expect::Asks("others may use")),
            ("jenkins-cli build x", Expect::Asks("others may use")),
            ("travis login", Expect::Asks("accounts or credentials")),
        ],
        plain_lines: &["travis lint"],
        ..ANY
    },
    Program {
        family: &["adb", "hdc", "idevice_id", "ideviceinstaller", "ios-deploy", "idb"],
        flags: "-a -d -e -h|--help --version -*",
        valued: "-s -t -H -P -L --udid -u -i -b",
        rules: &[
            when_all(&[First("shell exec-out"), AtLeast(2)], RunsLineThere(At::From(1))),
            when_all(&[First("shell"), AtMost(1), Fed], Hides("a device that runs what it reads")),
            when(
                First(
                    "install install-multiple uninstall root unroot remount sideload restore reboot disable-verity enable-verity usb tcpip sync",
                ),
                Says(Consequence::ChangesSystem, "changes a device"),
            ),
            when_all(&[First("push"), AtLeast(2)], Reads(At::Nth(1))),
            when_all(&[First("pull"), AtLeast(3)], Writes(At::Nth(2))),
            when(First("connect"), Connects(At::Nth(1))),
        ],
        examples: &[
            ("adb shell rm -rf /sdcard/x", Expect::Asks("runs `rm -rf /sdcard/x` elsewhere")),
            ("adb -s emulator-5554 install x.apk", Expect::Asks("changes a device")),
            ("adb pull /sdcard/x .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["adb devices", "adb logcat -d", "adb shell ls"],
        ..Program::LEADING
    },
    Program {
        family: &["notarytool", "altool", "iTMSTransporter", "stapler"],
        flags: "--upload-app --upload-package --notarize-app -*",
        rules: &[
            when(First("submit"), PUBLISHES),
            when(Has("--upload-app --upload-package --notarize-app"), PUBLISHES),
            when(First("store-credentials"), IDENTITY),
        ],
        examples: &[
            ("xcrun notarytool submit x.zip", Expect::Asks("publishes")),
            ("xcrun altool --upload-app -f x.ipa", Expect::Asks("publishes")),
        ],
        plain_lines: &["xcrun notarytool history"],
        ..Program::SINGLE
    },
];
