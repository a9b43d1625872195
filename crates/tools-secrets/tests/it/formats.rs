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
fn passwords_told_by_their_place_alone() {
    const VALUE: &str = "Zx81pQ7mLw2k";
    for (before, after) in [
        // Lines of settings without signs.
        ("port 6379\nrequirepass ", "\n"),
        ("masterauth ", "\n"),
        ("  bindpw ", "\r\n"),
        ("account x\nuser me\npassword ", ""),
        ("network={\n ssid=\"office\"\n psk=\"", "\"\n}\n"),
        ("<dict>\n<key>Password</key>\n\t<string>", "</string>\n"),
        ("<property><name>db.password</name><value>", "</value></property>"),
        ("read -s PASS <<< \"", "\"\n"),
        // Arguments of commands.
        ("gh secret set API_KEY --body ", "\n"),
        ("aws ssm put-parameter --name /a/b --type SecureString --value ", "\n"),
        ("aws ssm put-parameter --name /a/b --value ", " --type SecureString\n"),
        ("cqlsh -u app -p ", " db.local\n"),
        ("snmpwalk -v3 -u adm -a SHA -A ", " host\n"),
        ("snmpget -v3 -u adm -x AES -X ", " host\n"),
        ("cache_peer p.local parent 80 0 login=user:", "\n"),
        // Arguments of calls.
        ("var c = new NetworkCredential(\"svc\", \"", "\");"),
        ("request.basic_auth(user, '", "')"),
        ("client.get(u).basic_auth(\"svc\", Some(\"", "\"))"),
        ("requests.get(u, auth=(\"svc\", \"", "\"))"),
        ("auth = HTTPBasicAuth(names[0, 1], \"", "\")"),
        ("server.login('svc@db.local', '", "')"),
        ("$db = new mysqli(\"localhost\", \"app\",\n    \"", "\", \"shop\");"),
        ("smtp.PlainAuth(\"\", user, \"", "\", host)"),
    ] {
        check(before, VALUE, after);
    }
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
        "\"correlation-key\": \"8f246fbc-1e2a-4b5f-9d3c-7a6b5c4d3e2f\"\n",
        "daemon:*:19700:0:99999:7:::\nwww-data:!:19700:0:99999:7:::\n",
        "nobody:*:-2:-2::0:0:Unprivileged:/var/empty:/usr/bin/false\n",
        "aws ssm put-parameter --name /ami --type String --value ami-0f4c9a7be21d5836\n",
        "snmpwalk -v3 -u adm -a SHA-256 -x AES-128 host\n",
        "basic_auth(\"svc\", os.environ[\"API_PASSWORD\"])\n",
        "response = fp_login(\"AFP3.1\", \"DHCAST128\")\n",
        "basic_auth(\"svc\"), f(1, \"Zx81pQ7mLw2k\")\n",
        "a token is sent with the\npassword that\nthe user gave\n",
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

#[test]
fn tokens_by_prefix_as_they_stand_in_text() {
    let upper = HEX.to_ascii_uppercase();
    let long = RANDOM.repeat(4);
    for token in [
        ["shpa", "t_", &upper, &upper],
        ["dop_", "v1_", &upper.repeat(3), &upper],
        ["NRI", "Q-", &RANDOM[..32], ""],
        ["ci", "o", &RANDOM[..32], ""],
        ["4b", "1d", RANDOM, "b9"],
        ["da", "2-", &RANDOM[..26], ""],
        ["pscale", "_oauth_", RANDOM, ""],
        ["dp", ".scim.", RANDOM, "Q7wz"],
        ["fig", "u_", RANDOM, ""],
        ["eyJr", "IjoiZ", &long[..70], ""],
        ["bedrock-api-", "key-YmVkcm9jay5h", &long, ""],
        ["s", "l.", &long[..135], ""],
        ["dt", "0s01.", &upper.repeat(2)[..24], &[".", &upper.repeat(4)].concat()],
        ["pi", "_Zx81pQ7mLw2kQm3vT8sNb1xy", "_secret_", &RANDOM[..25]],
        ["EAA", "AEx", &long[..58], ""],
        ["live", "_126031192_", &RANDOM[..30], ""],
        ["sp", "u-", HEX, HEX],
        ["1000", ".", &HEX.repeat(2), &[".", HEX, HEX].concat()],
        ["t", "1.", &long[..100], ""],
        ["EZT", "K", &long[..54], ""],
        ["jin", "a_", &long[..60], ""],
        ["tvl", "y-", &RANDOM[..32], ""],
        ["oy", "2", &long[..43], ""],
        ["sk_", "test_", "8f246fbc-1e2a-4b5f-9d3c-7a6b5c4d3e2f", ""],
        ["ramp", "_sec_", &long[..48], ""],
        ["haw", "k.", &RANDOM[..20], &[".", &RANDOM[10..30]].concat()],
    ] {
        let token = token.concat();
        check("rotated ", &token, ", as planned\n");
        check("client = Client(\"", &token, "\")\n");
    }
    let aside = ["access-", "sandbox-8f246fbc-1e2a-4b5f-9d3c-7a6b5c4d3e2f"].concat();
    check("client = Client(\"", &aside, "\")\n");
    check("curl -d @a https://hooks.zapier.com/hooks/catch/", "1263478/b1a2c3d/", "\n");
    check("Cookie: _gitlab_session=", RANDOM, "; a=b\n");
    check("https://a.tines.com/webhook/5kau82ae19gp7d89f8p8nmayo/", RANDOM, "\n");
    for clean in [
        "- (id)hf_requiredCharacteristicTypesForDisplayMetadata;\n",
        "xoxe.xoxp-1-SlackAppConfigurationAccessTokenHere\n",
        "ntn_123456789012345678901234567890123456789012345678901234567890\n",
        "glc_111111111111111111111111111111111111111111=\n",
        "fig_requested_by_a_user_of_the_application\n",
        "cio1234567890 t1.a sl.b da2-short spu-1234 live_stream_key\n",
    ] {
        assert_eq!(redact(clean), clean);
    }
}

#[test]
fn values_that_read_as_words_only_at_first_sight() {
    for value in [
        "DI9RQOAWXYUZF54VJVXM",
        "XwoTOqajuK7ghcsrtvchXyYK4tnefBus",
        "mCQPqLHSBsyOYygiGqkrSSKePEVN02PmuMRVXhBEyvt",
        "YoHdcukAATwy3PXLoVHO",
        "46P-GU6-2PQ-E3G",
        "fb5b4adbd5ebda",
    ] {
        check("easy_token = \"", value, "\"\n");
        check("  easy_secret: ", value, "\n");
    }
    check("GET https://api.internal/v1/list?key=", "AemQ06R35S1Y8rXnOzYvT8I4-a7u", "&limit=10\n");
    check("postgres://app:", "k8dZ7y/Qm3vT8sNb1", "@db.internal/x\n");
    for clean in [
        "{\"AWS::Config::AggregationAuthorization\": \"af318b77aaceeeaa\"}\n",
        "gpg --keyserver hkps://keys.openpgp.org --recv-keys 5BE8A3F6C8A5C01D106C0AD820B1A390B168D356\n",
        "syn match   ramlKey  '\\h\\+\\(?\\)\\?\\ze\\s*:'\n",
        "syn match fooAuth \"^\\%(Format\\|Upstream-Name\\)\"\n",
        "\"PurchaseToken\": \"eyJ2IjoiMSIsInMiOjEsImMiOi...\",\n",
        "\"S3Key\": \"my-app/5026-stage-150723_224258.war\"\n",
        "\"result_key\": \"ProductsV2\"\n",
        "'substringData':{'signature':'int $offset, int $count | string','return_type':'void'}\n",
        "MLKEM768X25519PrivateKey = rust_openssl.hpke.MLKEM768X25519PrivateKey\n",
        "    WBEM_E_NO_KEY = 0x80041089,\n",
        "def f(startToken:Token=None, other:int=1)\n",
        "Key | Meaning\n--- | ---\n`napiVersion` | which\n",
        "ACCESS_KEY = 'AWSAccessKeyId'\n",
        "GET https://cdn.internal/a?key=8f246fbc-1e2a-4b5f-9d3c-7a6b5c4d3e2f&size=2\n",
        "http://host:8080/a/b@2.0/c\n",
        "Prints https://abc:123@example.com/\n",
    ] {
        assert_eq!(redact(clean), clean);
    }
}

#[test]
fn what_is_escaped_in_an_address_or_a_page_is_read_as_it_is_meant() {
    let token = ["gh", "p_", RANDOM].concat();
    check("GET /x?q=token%20is%20", &token, "%20ok HTTP/1.1\n");
    check("GET /x?q=DB_PASSWORD%3D", "Zx81pQ7mLw2k", "%26a%3D1 HTTP/1.1\n");
    check("GET /x?q=%7B%22apiKey%22%3A%22", RANDOM, "%22%7D HTTP/1.1\n");
    check("GET /x?q=postgres%3A%2F%2Fapp%3A", "Zx81pQ7mLw2k", "%40db.internal%2Fx HTTP/1.1\n");
    check("GET /x?q=Authorization%3a%20Bearer%20", &RANDOM[..30], " HTTP/1.1\n");
    check("<div data-a=\"{&quot;apiKey&quot;: &quot;", RANDOM, "&quot;}\">x</div>\n");
    check("DB_PASSWORD=", "%53%77%4D%46%4C%5A%44%65%31%66%38", "\n");
    for clean in [
        "GET /x?q=DB_PASSWORD%3D%24%7BDB_PASSWORD%7D HTTP/1.1\n",
        "<td>&quot;apiKey&quot;: &quot;your_api_key_1&quot;</td>\n",
        "GET /search?q=api%20key%3A%20what%20is%20it HTTP/1.1\n",
    ] {
        assert_eq!(redact(clean), clean);
    }
}
