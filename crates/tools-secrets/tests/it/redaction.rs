//! Tables of texts. Values that look like real tokens are put together from pieces, so that no
//! scanner takes them for leaked ones.

use proptest::prelude::*;
use serde_json::json;
use tools_core::Redactor as _;
use tools_secrets::{KnownValues, SecretRedactor, is_credential, scan};

const RANDOM: &str = "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx";

fn redact(text: &str) -> String {
    SecretRedactor::default().redact(text).into_owned()
}

fn check(text: &str, expected: &str) {
    let found = redact(text);
    assert_eq!(found, expected);
    assert_eq!(redact(&found), expected, "twice is once");
}

#[test]
fn tokens_of_providers() {
    let github = ["gh", "p_", RANDOM].concat();
    check(&format!("see {github}."), "see «secret:github#1».");
    check(&format!(r"a\n{github}"), r"a\n«secret:github#1»");
    check(&format!("\x1b[33m{github}\x1b[0m"), "\x1b[33m«secret:github#1»\x1b[0m");
    for clean in ["ghp_short", &format!("x{github}"), &["gh", "p_", &"x".repeat(36)].concat()] {
        check(clean, clean);
    }
}

#[test]
fn assignments_in_any_syntax() {
    for (before, after) in [
        ("API_KEY=", ""),
        ("+API_KEY=", "\n LOG=1"),
        ("api_key: ", "\n"),
        (r#"{"api_key": ""#, r#"", "region": "eu"}"#),
        (r#"{\"api_key\": \""#, r#"\", \"region\": 1}"#),
        ("<api_key>", "</api_key>"),
        ("define('API_KEY', '", "');"),
        ("run --api-key ", " --all"),
        ("url?api_key=", "&x=1"),
        ("x-api-key: ", "\r\n"),
    ] {
        check(&format!("{before}{RANDOM}{after}"), &format!("{before}«secret:key#1»{after}"));
    }
    for clean in [
        "SECRET_KEY=os.environ[\"API_KEY\"]",
        "token: ${TOKEN}",
        "let token = tokenizer.next_token().ok_or(ParseError::UnexpectedEof)?;",
        "password: <redacted>",
        "password: <TOKEN>\n  timeout: 30",
        "max_tokens: 4096",
        "PWD=/srv/app/releases/20260101",
        "0d07140dc22e0c3e62548c4ec2a6b3df639202799fcd8e9baee68b177fa79a28",
    ] {
        check(clean, clean);
    }
}

#[test]
fn addresses_headers_and_commands() {
    check("postgres://app:Zx81pQ7mLw2k@db/x", "postgres://app:«secret:url-password#1»@db/x");
    check("mongodb://127.0.0.1:27017/test", "mongodb://127.0.0.1:27017/test");
    check(&format!("Authorization: Bearer {RANDOM}\nx"), "Authorization: Bearer «secret:authorization#1»\nx");
    check(&format!("Cookie: theme=dark; sessionid={RANDOM}"), "Cookie: theme=dark; sessionid=«secret:cookie#1»");
    check("mysql -u root -pDphxMXxyQzUUmj9B shop", "mysql -u root -p«secret:password#1» shop");
    check("curl -u ann:Zx81pQ7mLw2k https://x/", "curl -u ann:«secret:password#1» https://x/");
}

#[test]
fn values_of_a_kubernetes_secret_whatever_their_names() {
    let hidden = "«secret:secret#1»";
    let encoded = "YWRtaW4tdXNlcg==";
    for (before, after) in [
        ("apiVersion: v1\ndata:\n  user: ", "\nkind: Secret\n"),
        ("+data:\n+  user: \"", "\"\n+type: Opaque\n"),
        ("items:\n- data:\n    # who\n\n    user: ", "\n  kind: Secret"),
        ("{\n  \"data\": {\n    \"user\": \"", "\"\n  },\n  \"kind\": \"Secret\"}"),
        (r#"{"data":{"a.b":""#, r#""},"kind":"Secret"}"#),
        (r#"{\"data\":{\"user\":\""#, r#"\"},\"kind\":\"Secret\"}"#),
    ] {
        check(&format!("{before}{encoded}{after}"), &format!("{before}{hidden}{after}"));
    }
    check("stringData:\n  user: Zx81pQ7mLw2k\n", &format!("stringData:\n  user: {hidden}\n"));
    let bytes = "3q2+7wABk9PZ0vGk8aJd1w==";
    check(&format!("data:\n  k: {bytes}\n"), &format!("data:\n  k: {hidden}\n"));
    let certificate = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM=";
    for clean in [
        "data:\n  level: information\n  mode: productionsafe\n",
        &format!("data:\n  ca.crt: {certificate}\n"),
        &format!("spec:\n  encryptedData:\n    user: {encoded}\n"),
        &format!("data:\nuser: {encoded}\n"),
        &format!("data: x\n  user: {encoded}\n"),
        "url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==)",
    ] {
        check(clean, clean);
    }
}

/// The text with a margin before each line.
fn numbered(text: &str, margin: impl Fn(usize, &str) -> String) -> String {
    let lines = text.split_inclusive('\n').enumerate();
    lines.flat_map(|(number, line)| [margin(number + 8, line), line.to_owned()]).collect()
}

/// What stands before a line, given its number.
type Margin = Box<dyn Fn(usize, &str) -> String>;

/// What `cat -n`, `read`, `grep -n`, `grep -rn` and `grep -r` put before a line; those where
/// `is_match` with a colon.
fn margins(is_match: fn(&str) -> bool) -> [Margin; 6] {
    let mark = move |line: &str| if is_match(line) { ':' } else { '-' };
    [
        Box::new(|_, _| String::new()),
        Box::new(|number, _| format!("{number:6}\t")),
        Box::new(|number, _| format!("{number:>3} │ ")),
        Box::new(move |number, line| format!("{number}{}", mark(line))),
        Box::new(move |number, line| format!("a/my-1-file.txt{0}{number}{0}", mark(line))),
        Box::new(move |_, line| format!("./my-file.txt{}", mark(line))),
    ]
}

#[test]
fn values_of_a_kubernetes_secret_however_they_are_written() {
    let (plain, other, hidden) = ("Zx81pQ7mLw2k", "Vr52tH9nKd3s", "«secret:secret#1»");
    let encoded = "YWRtaW4tdXNlcg==";
    let wrapped = "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZLS0tLS0K";
    for (before, value, after) in [
        ("stringData:\n  foo: |\n    ", plain, "\n  bar: x\nkind: Secret\n"),
        ("stringData:\n  foo: |-\n    a=b\n    token = ", plain, "\n"),
        ("stringData:\n  foo: >2-\n\n    ", plain, "\n"),
        ("stringData:\n  foo:\n    ", plain, "\n"),
        ("stringData:\n  foo:\n    \"", plain, "\"\n"),
        ("stringData: # why\n  # what\n  foo: ", plain, " # who\n"),
        ("\"stringData\":\n  \"foo\": \"", plain, "\"\n"),
        ("'stringData':\n  'foo': '", plain, "'\n"),
        ("stringData: {foo: ", plain, "}\n"),
        ("stringData: {\n  bar: x,\n  foo: ", plain, "\n}\n"),
        ("stringData:\n  foo: &a ", plain, "\n"),
        ("stringData:\n  ? foo\n  : ", plain, "\n"),
        ("data:\n  foo: |\n    ", encoded, "\n"),
        ("data:\n  foo: !!binary |\n    ", encoded, "\n"),
        ("data:\n  foo:\n    ", encoded, "\n"),
        ("data: {foo: ", encoded, ", bar: x}\n"),
        ("kind: List\nitems:\n  - data:\n      foo: ", encoded, "\n    kind: Secret\n"),
        ("{\n  \"data\": {\n    \"a\": \"b\",\n    \"user\": \"", encoded, "\"\n  },\n  \"kind\": \"Secret\"}\n"),
    ] {
        for margin in margins(|line| line.contains("foo")) {
            check(
                &numbered(&format!("{before}{value}{after}"), &margin),
                &numbered(&format!("{before}{hidden}{after}"), &margin),
            );
        }
    }
    check(
        &format!("stringData:\n  foo: {plain}\n    {other}\n"),
        "stringData:\n  foo: «secret:secret#1»\n    «secret:secret#2»\n",
    );
    check(
        &format!("data:\n  foo: |\n    {wrapped}\n    {encoded}\n"),
        "data:\n  foo: |\n    «secret:secret#1»\n    «secret:secret#2»\n",
    );
    let far = "  a: b\n".repeat(4000);
    check(&format!("stringData:\n{far}  foo: {plain}\n"), &format!("stringData:\n{far}  foo: {hidden}\n"));
    for clean in [
        "data:\n  app.conf: |\n    level: information\n    listen 8080\n    LoadModule1\n    Zx81\n",
        "data:\n  hosts: |\n    FirstHost12\n    OtherHost345\n    Third3Host\n",
        &format!(
            "stringData:\n  ca: |\n    -----BEGIN CERTIFICATE-----\n    {RANDOM}\n    -----END CERTIFICATE-----\n"
        ),
        "fetch({ data: { name: userName, other: theOther } })",
        "data: |\n  user: Zx81pQ7mLw2k\n",
        "8:data:\nand then\n  user: x\n",
    ] {
        check(clean, clean);
    }
}

#[test]
fn columns_whose_header_names_a_credential() {
    check(
        "user,password,since\nann,hunter2,2026\nbob,\"Qm3,vT8s\",2027\n\nend,hunter2,x",
        "user,password,since\nann,«secret:password#1»,2026\nbob,\"«secret:password#2»\",2027\n\nend,hunter2,x",
    );
    check(
        &format!("User name\tAccess key ID\tSecret access key\r\nann\tx\t{RANDOM}\r\n"),
        "User name\tAccess key ID\tSecret access key\r\nann\tx\t«secret:key#1»\r\n",
    );
    check(
        &format!(" id | api_token \n----+-----------\n  1 | {RANDOM}\n(1 row)\n"),
        " id | api_token \n----+-----------\n  1 | «secret:token#1»\n(1 row)\n",
    );
    check(&format!("+user,secret\n+ann,{RANDOM}\n"), "+user,secret\n+ann,«secret:secret#1»\n");
    for clean in [
        "model,tokens,key\nlarge,18723,Zx81pQ7m\n",
        "use a::{name, token, value};\nuse b::{x1y2z3w4, Zx81pQ7mLw2k, c};\n",
        "user,password\nann,changeme\nbob,${PW}\n",
        "user,password\nann,x,Zx81pQ7mLw2k\n",
    ] {
        check(clean, clean);
    }
}

#[test]
fn what_programs_write_is_no_credential() {
    let blob = "LDxQQFxAYEH8QgBCBEIIQzRDQENIQ1RD/EAA".to_owned() + &"RAhEXERgRGhEbER8".repeat(8);
    for clean in [
        "the default; pass '--cfg unstable1 -x' to it",
        "Pass 'parameters2' and go on",
        "ResourceReturnTypeToken: D3D10_SB_RESOURCE_RETURN_TYPE,",
        "pub type LSA_TOKEN_INFORMATION_V2 = LSA_TOKEN_INFORMATION_V1;",
        "c>1?f.onMatch=this.$apply:f.token=f.token1),c>1&&x",
        "client_ssl_key = \".%2Ftests%2Fcerts%2Fkeys%2Fclient1.key\"",
        "openssl req -x509 -newkey rsa:2048 -keyout /tmp/k2.pem -nodes",
        "c>1?f.x=1:f.token=f.onMatch=f.token)",
        "this.$tokenIndex=r?r.index:-1}",
        "\"password\",  # str\n\"key_cert_file1\",  # str\n",
        "# In a cookie, each\n# Path1 of x, whichever9Zq\n",
        "token(\"private-key\", \"LS0tLS1CRUdJTiBQUklW\", 40)",
        blob.as_str(),
    ] {
        check(clean, clean);
    }
}

/// What libraries are full of: names of resources, types, templates, text in binary files.
#[test]
fn what_libraries_are_full_of_is_no_credential() {
    for clean in [
        "\"arn:aws:logs:*:*:log-group:datazone-*\",",
        "\"Resource\":\"arn:*:sagemaker:*:*:model-package/*\"",
        "acs:ram:*:*:role:name1x",
        "Confirm password:\0 Currently: Database2 error",
        "Confirm password:\0Currently1\0Database",
        "\"ChangeToken\": \"abcd12f2-46da-4fdb-b8d5-fbd4c466928f\",",
        "\"clientRequestToken\": \"1d2129a1-3d38-460a-9756-e5b91fddb951\",",
        "declare function isArrow(token: CommentOrToken): token is ArrowToken$1;",
        "function isToken(credential: ClientCredential): credential is OAuth2TokenCredential<Flow>;",
        "# hashlib.pbkdf2_hmac is PBKDF2-HMAC-SHA256: the same",
        "const FLOW_PASSWORD_REQUIRED_V2 = \"FlowPasswordRequiredResultV2\";",
        "    ResetPassword = \"identitytoolkit#ResetPasswordResponse2\",",
        "/// [`into_keys`]: struct.HashMap2.html#method.into_keys",
        "[image]: https://codecov.io/gh/a/b/graph/badge.svg?token=Z92NHFQ70G",
        "** all columns identified by \"colUsed\", all but",
        "    babel-plugin-transform-es2015-duplicate-keys \"^6.24.1\"",
        "      nToken = sqlite3Strlen30NN(p->u.zToken)+1;",
        "    generate_private_key: x25519_generate_private_key,",
        "Win32_Security_Authorization = [\"Win32_Security\"]",
        "const SESSION_TOKEN_QUERY_PARAM = \"X-Amz-S3session-Token\";",
        "  credentialFunctions = [functions_js_1.createDefaultEnvironmentCredential, x];",
        "t.pendingToken=e.pendingToken)):e.oauthToken&&e.x?(t.a=e.b",
        "    tokenRatio: +(obj.tokenRatio1 as number).toFixed(3),",
        "const RESERVED_DECIMAL128_KEY = '__decimal128__';",
        "children[parallelRouteKey]=taskChildRoute1}let x",
        "h=t.TokenContext={expressionStatement:1,arrowBody:2}",
        "  esxi1_password: @ESXI1_PASSWORD\n",
        "secret_id=f\"events!connection1/{connection_id}/auth\",",
        "return keys.Key.fromFile(file, password=ans).keyObject1",
        "        password=\"someone@example.net\",",
        ":type credential: ~azure.core.credentials_async.AsyncTokenProvider2",
        "fn exp_on_interval_between_negative_one_quarter_and_0_excluded(a: i32)",
        "  db->xAuth = (sqlite3_xauth)xAuth;",
        "    authorization: \"token secret123\",",
        "create_engine(\"oracle://scott:tiger@oracle18c/xe\")",
        "such as `https://user:p%40ss@host`",
        "    secrets: UnsafeCell<[u64; 7]>,",
        "    reordered_keys: \"hijklmnopuvwDEFqrABCxyzsHIJGPQRSTUVWXYZKLMNOgabctdfe\",",
        "pub const TOKEN_USED_FOR_ACCESS: TOKEN_PRIVILEGES = 2147483648u32;",
        "postgresql://[user[:password]@][host][:port][/dbname]",
        "/// a private key \"prefix||private_key||middle||public_key\" where",
        "    vpaes_key: &AES_KEY,",
        ".header(\"sec-websocket-key\", \"6D69KGBOr4Re+Nj6zx9aQA==\")",
        "  credentials: owner1/home#assets/service-credentials\n",
        "<img src=\"https://img.shields.io/codecov/a/b?logo=codecov&token=B1EnafGlRL\">",
        "Url::parse(\"ftp://rms:secret123@example.com\")",
        "let base = \"redis://foo:bar@somehost:6379/0\";",
        "check_body(b\"username=user&password=secure%20password\")",
        "let url = \"postgres://username:p@ssw0rd@hostname:5432/database\";",
        "\"href\": \"https://user:pass%5B%7F@other.net/bar\",",
        "\"input\": \"http://a:Zx(b]c@d:2/\", \"javascript://:bowser@x/\", \"http://foo:💩@other.net/bar\"",
        "postgresql://user:correct%20horse%20battery%20staple@localhost",
        "load_password_from_line(\"*:*:*:*:ba\\\\:z\", \"localhost\", 5432)",
        "            localhost:5432:bar:foo:baz\\n\\\n",
        "const urlVariableRegex = template.replace(/a/, `$1$2.${options.mediaType.format}`)",
        "    addFlag$6$abbr$defaultsTo$help$hide$negatable($name, abbr, help) {",
        "ghp_PersonalAccessToken01245678900000000",
        "| path | password |\n| --- | --- |\n| a | Function must return true |\n",
        "//other.net/org/:_authToken=MYTOKEN1\n",
        "npm install https://user:&lt;password&gt;]@host.net",
        "const octokit = new Octokit({ auth: `secret123` });",
        "exports.isUpKey2 = isUpKey2;",
        "var mapToken = mapToken2;",
        "const jwt_token = /^[A-Za-z0-9-_]+$/;",
        "'pass': 'The \"pass\" statement\\n'",
        "'Proxy-Authorization': 'Basic YWxhZGRpbjpvcGVuc2VzYW1l',",
        "  (...themes: (ThemeInput | BundledThemeKeys | SpecialTheme2)[]) => void",
    ] {
        check(clean, clean);
    }
}

/// Near to what libraries are full of, and credentials all the same.
#[test]
fn what_is_near_to_text_of_libraries_is_found() {
    for (before, value, after) in [
        ("db.example.org:5432:app:ann:", "Zx81pQ7mLw2k", "\n"),
        ("conf/pg.txt:3:db:*:*:ann:", "Zx81pQ7mLw2k", "\n"),
        ("/etc/pg:db:*:*:ann:", "Zx81pQ7mLw2k", "\n"),
        ("7:db:*:*:ann:", "Zx81pQ7mLw2k", "\n"),
        ("ALTER USER a IDENTIFIED BY '", "tigerlily9", "'"),
        ("session_token: ", "abcd99f2-46da-4fdb-b8d5-fbd4c466928f", "\n"),
        ("\"client_token\": \"", "k8dz7y3doqnvelbuizvohdby", "\""),
        ("the token is ", "k8dz7y3doqnvelbuizvohdby", " now"),
        ("admin_password: \"", "AdminPassword17x", "\""),
        ("[db]\npassword: ", "Zx81pQ7mLw2k", "\n"),
        ("https://x.example/a.svg\nhttps://x.example/a?token=", "Z92NHFQ70Gkd8d7", "\n"),
        ("password=\"", "me@home-Zx81p", "\""),
        ("password: ", "Zx81}pQ7{mLw2k", "\n"),
        ("oracle://scott:", "Zx81pQ7mLw2k", "@db/xe"),
        ("ftp://rms:", "secret1234x", "@example.com/"),
        ("redis://foo:", "bar7", "@somehost/"),
        ("redis://app:", "secret123", "@cache/"),
        ("credentials: ", "owner/Zx81pQ7mLw2k", "\n"),
        ("password: ", "2147483648u33", "\n"),
        ("postgres://user:", "p@ssw0rd", "@db.other.net/app"),
        ("postgres://ann:", "p@ssw0rd", "@hostname/app"),
        ("password=", "secure%20passw0rd%3F", "\n"),
        ("db.other.net:5432:app:ann:", "baz7", "\n"),
        ("password: ", "hunter12", "\n"),
        ("hash: ", "$6$Zx81pQ7mLw2kQm3v$Zx81pQ7mLw2kQm3vT8sNb1xy", "\n"),
    ] {
        let text = format!("{before}{value}{after}");
        let shown = redact(&text);
        assert!(!shown.contains(value) && shown.starts_with(before) && shown.ends_with(after), "{text} {shown}");
    }
}

#[test]
fn private_keys_whole_cut_off_and_escaped() {
    let (begin, end) = (["-----BEGIN ", "PRIVATE KEY-----"].concat(), ["-----END ", "PRIVATE KEY-----"].concat());
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
    let hidden = "«secret:private-key#1»";
    check(&format!("{begin}\n{body}\n{body}\n{end}\nnext"), &format!("{begin}\n{hidden}\n{hidden}\n{end}\nnext"));
    check(&format!("{begin}\n{body}\n{body}\nthe rest"), &format!("{begin}\n{hidden}\n{hidden}\nthe rest"));
    check(&format!("+{begin}\n+{body}\n+{end}\n"), &format!("+{begin}\n+{hidden}\n+{end}\n"));
    check(&format!("     1\t{begin}\n     2\t{body}\n"), &format!("     1\t{begin}\n     2\t{hidden}\n"));
    let code = r#""-----BEGIN PRIVATE KEY-----\n" + key + "\n-----END PRIVATE KEY-----""#;
    check(code, code);
    check(&format!("{begin}\n{body}\nthe next line"), &format!("{begin}\n«secret:private-key#1»\nthe next line"));
    check(&format!(r"{begin}\n{body}\n{end}"), &format!(r"{begin}\n«secret:private-key#1»\n{end}"));
}

#[test]
fn private_keys_in_what_a_search_prints() {
    let (begin, end) = (["-----BEGIN ", "PRIVATE KEY-----"].concat(), ["-----END ", "PRIVATE KEY-----"].concat());
    let (body, last) = ("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "k8dz7y3d");
    let (hidden, second) = ("«secret:private-key#1»", "«secret:private-key#2»");
    for (text, expected) in [
        (format!("{begin}\n{body}\n{last}\n{end}\nx\n"), format!("{begin}\n{hidden}\n{second}\n{end}\nx\n")),
        (format!("x\n{begin}\n{body}\n{body}\n"), format!("x\n{begin}\n{hidden}\n{hidden}\n")),
        (format!("{body}\n{last}\n{end}\nx\n"), format!("{hidden}\n{second}\n{end}\nx\n")),
        (format!("a sentence\n{body}\n{end}\n"), format!("a sentence\n{hidden}\n{end}\n")),
        (format!("{begin}\n{body}\nthe next line\n"), format!("{begin}\n{hidden}\nthe next line\n")),
    ] {
        for margin in margins(|line| line.contains("BEGIN")) {
            check(&numbered(&text, &margin), &numbered(&expected, &margin));
        }
    }
    for clean in [format!("return key;\n{end}\n"), format!("{begin}\n{end}\n"), format!("the\n{end}\n")] {
        check(&clean, &clean);
    }
}

#[test]
fn known_values_are_found_in_every_encoding() {
    let redactor = SecretRedactor::default().knowing(KnownValues::new(["correct horse \"battery\"", "short"]));
    for text in [
        "a correct horse \"battery\" b",
        r#"{"x":"correct horse \"battery\""}"#,
        "q=correct%20horse%20%22battery%22",
        "Y29ycmVjdCBob3JzZSAiYmF0dGVyeSI=",
    ] {
        assert!(redactor.redact(text).contains("«secret:known#1»"), "{text}");
    }
    assert_eq!(redactor.redact("short"), "short");
}

#[test]
fn the_same_value_has_the_same_number() {
    let other = RANDOM.replace('k', "j");
    check(
        &format!("ONE_KEY={RANDOM}\nTWO_KEY={other}\nSAME_KEY={RANDOM}"),
        "ONE_KEY=«secret:key#1»\nTWO_KEY=«secret:key#2»\nSAME_KEY=«secret:key#1»",
    );
}

#[test]
fn a_json_member_is_judged_by_its_name() {
    let value = json!({"path": RANDOM, "login": {"api_key": RANDOM, "user": "ann"}});
    assert_eq!(
        SecretRedactor::default().redact_json(&value),
        json!({"path": RANDOM, "login": {"api_key": "«secret:value#1»", "user": "ann"}})
    );
}

#[test]
fn environment_variables() {
    assert!(is_credential("DATABASE_URL", "postgres://app:Zx81pQ7mLw2k@db/x"));
    assert!(is_credential("FOO_TOKEN", "x"));
    assert!(!is_credential("DATABASE_URL", "postgres://db/x"));
    assert!(!is_credential("PATH", "/usr/bin:/bin"));
}

proptest! {
    #[test]
    fn any_text_can_be_scanned(text in any::<String>(), pieces in prop::collection::vec("(password|data:|data: \\{|a.txt:7:|a.txt-8-|  7\t|  a: \\|\n|    YWRtaW4tdXNlcg==\n|-----END PRIVATE KEY-----|data\":|stringData:\n|  a: YWRtaW4tdXNlcg==\n|user,token\n|a1,Zx81pQ7mLw2k\n|, |=|:|'|\"|\\\\|://|@|-----BEGIN PRIVATE KEY-----|cookie: |authorization: |curl -u |\n| |é|\x1b\\[3m|key|a1B2c3D4|name: |value|\\| |PASSWORD\\(|login |setenv |is |BY |:5432:|:\\*:|Q~|AZDO|:AA|Private-Lines: 2\n|htpasswd -b |→|> |-> \"|bearer |<|</|Some\\(|: &str = |---|END)", 0..40)) {
        for text in [text, pieces.concat()] {
            let mut end = 0;
            for finding in scan(&text) {
                prop_assert!(finding.start >= end && finding.start < finding.end);
                prop_assert!(text.get(finding.start..finding.end).is_some());
                end = finding.end;
            }
        }
    }
}
