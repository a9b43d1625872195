//! Formats that no prefix tells, what only looks like a credential, and lines behind margins.
//! Values are put together from pieces, so that no scanner takes them for leaked ones.

use proptest::prelude::*;
use tools_core::Redactor as _;
use tools_secrets::SecretRedactor;

const RANDOM: &str = "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx";
const HEX: &str = "0f4c9a7be21d5836";

fn redact(text: &str) -> String {
    SecretRedactor::default().redact(text).into_owned()
}

/// `before`, the value and `after`: of it only the value goes.
fn check(before: &str, value: &str, after: &str) {
    let shown = redact(&format!("{before}{value}{after}"));
    assert!(!shown.contains(value), "{shown}");
    assert!(shown.starts_with(before) && shown.ends_with(after), "{shown}");
}

#[test]
fn credentials_told_by_marks_or_by_words_in_front() {
    let twice = [RANDOM, RANDOM].concat();
    let discord = ["MTk4NjIyNDgzNDcxOTI1MjQ4", ".Cl2FMQ.", &RANDOM[..30]].concat();
    check("client.login(\"", &discord, "\")");
    check("Discord bot started with ", &discord, " at 10:00");
    check("key ", &["HRKU", "-AA", RANDOM].concat(), "\n");
    check("use ", &["pat", &RANDOM[..14], ".", &HEX.repeat(4)].concat(), ".\n");
    check("x ", &["snyk_uat", ".1a2b3c4d.", RANDOM].concat(), "\n");
    check("x ", &["sl.B", &twice].concat(), "\n");
    check("key: ", &[&twice[..52], "JQQJ99", "BKACYeBjFXJ3w3AAABACOG", &RANDOM[..4]].concat(), "\n");
    check("push with ", &["AAAA", &RANDOM[..7], ":APA91b", &twice, &twice].concat(), "\n");
    check(&format!("Client(\"AC{}\", \"", HEX.repeat(2)), &HEX.chars().rev().collect::<String>().repeat(2), "\")");
    check("export BW_SESSION=\"", &[RANDOM, "=="].concat(), "\"\n");
    check("SecretID: ", "8f246fbc-1e2a-4b5f-9d3c-7a6b5c4d3e2f", "\n");
    check("Unseal Key 1: ", &[RANDOM, "Ab3+/Zx9"].concat(), "\n");
    check("sql.Open(\"mysql\", \"app:", "Zx81pQ7mLw", "@tcp(db:3306)/x\"");
    check("mnemonic: ", "legal winner thank year wave sausage worth useful legal winner thank yellow", "\n");
    check("run --password \\\n    ", "Zx81pQ7mLw2k", " --all\n");
    check("https://x.webhook.office.com/webhookb2/1@2/IncomingWebhook/", &[&HEX.repeat(2), "/", HEX].concat(), " x");
    let changed = redact("DB_PASSWORD=[-Zx81pQ7mLw2k-]{+Qm3vT8sNb1xy+}\n");
    assert_eq!(changed, "DB_PASSWORD=[-«secret:password#1»-]{+«secret:password#2»+}\n");
}

#[test]
fn what_only_looks_like_a_credential() {
    for clean in [
        "--- PASS: TestA/row1 (0.00s)\n",
        "    --- PASS: TestLogin2 (0.00s)\n",
        "PASS: tests/parser-utf8.test\n",
        "Pass: TestA12b\n",
        "SyntaxError: Unexpected token: string2Name\n",
        "  secretKey: Uint8Array;\n",
        "    token: OAuth2Token,\n",
        "  signing_key: Ed25519SigningKey,\n",
        "passphrase: Utf8PathBuf\n",
        "    token: &CancellationToken,\n",
        "    password: &SecretString,\n",
        "credentials: S3Credentials\n",
        "t.apiKey=e.config.apiKey2}(window\n",
        "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6233376434393834\n",
        "password: ENC[AES256_GCM,data:k8dz7y3doq,iv:Zx81pQ7mLw2k,tag:abc,type:str]\n",
        "password=ENC(k8dz7y3doqnvelbuizvohdbyhtvr2owp)\n",
    ] {
        assert_eq!(redact(clean), clean);
    }
    let sealed = format!("encryptedData:\n  password: AgBy3i4OJSWK{}\n", RANDOM.repeat(4));
    assert_eq!(redact(&sealed), sealed);
    // What is assigned to such a name is one all the same.
    check("PASS=", "Zx81pQ7mLw2k", "\n");
    check("pass: ", "Zx81pQ7mLw2k", "\n");
    check("password: \"", "Ed25519SigningKey9x", "\"\n");
}

/// Texts in which only another line tells what a value is.
const BLOCKS: &[&str] = &[
    "env:\n  - name: DB_PASSWORD\n    value: @\n",
    "machine db.local\nlogin app\npassword @\n",
    "a: 1\npassword: >-\n  @\nb: 2\n",
    "user,password,since\nann,@,2026\n",
    " user | password | since \n------+----------+-------\n ann | @ | 2026\n",
    "data:\n  key: @\n",
];

/// What tools put in front of the line of this number, counted from 1.
fn margins() -> Vec<Box<dyn Fn(usize) -> String>> {
    vec![
        Box::new(|number| format!("{number:>6}\t")),
        Box::new(|number| format!("{number}:")),
        Box::new(|number| format!("conf/a-b.yml:{number}:")),
        Box::new(|number| format!("conf/a-b.yml-{number}-")),
        Box::new(|_| "conf/a.yml:".to_owned()),
        Box::new(|_| "+".to_owned()),
        Box::new(|_| "-".to_owned()),
        Box::new(|_| "> ".to_owned()),
        Box::new(|_| "# ".to_owned()),
        Box::new(|_| "web-1  | ".to_owned()),
        Box::new(|_| "[pod/web-1/app] ".to_owned()),
        Box::new(|number| format!("2026-01-02T03:04:{:02}.123Z ", number % 60)),
        Box::new(|number| format!("Jan  2 03:04:{:02} host app[12]: ", number % 60)),
        Box::new(|number| format!("1a2b3c4d (Some One 2026-01-02 03:04:05 +0100 {number:>3}) ")),
    ]
}

proptest! {
    #[test]
    fn a_margin_hides_no_credential_from_rules_of_several_lines(
        block in 0..BLOCKS.len(),
        outer in 0..margins().len(),
        inner in prop::option::of(0..margins().len()),
        before in prop::collection::vec("[a-z]{2,8}: [a-z]{2,8}", 0..3),
    ) {
        // Base64 of a text, which is what Kubernetes keeps; elsewhere a password like any other.
        let value = "WngwMVBRN21MdzJrUW0zdg==";
        let text = format!("{}{}", before.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().concat(), BLOCKS[block]);
        let text = text.replace('@', value);
        prop_assume!(!redact(&text).contains(value));
        let (outer, margins) = (&margins()[outer], margins());
        let line = |(index, line): (usize, &str)| {
            let inner = inner.map_or_else(String::new, |inner| margins[inner](index + 1));
            format!("{}{inner}{line}\n", outer(index + 1))
        };
        let shown: String = text.lines().enumerate().map(line).collect();
        let redacted = redact(&shown);
        prop_assert!(!redacted.contains(value), "{}", redacted);
        prop_assert_eq!(redacted.lines().count(), shown.lines().count());
    }
}
