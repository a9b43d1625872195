//! Programs that fetch or send files by a URL.

use crate::reader::Value;
use crate::registry::prelude::*;
use tools_core::Access;

/// Condition that the program is not only asked for its help, version or manual.
const TELLS: ArgumentCondition = Lacks("--help --version --manual");

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["curl", "curlie"],
        flags: "-# -0|--http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 -1|--tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 -2 -3 \
                    -4|--ipv4 -6|--ipv6 -a|--append --anyauth --basic --digest --ntlm --negotiate -B|--use-ascii --compressed --create-dirs \
                    --crlf -f|--fail --fail-with-body --fail-early -g|--globoff -G|--get -i|--include|--show-headers -I|--head -j|--junk-session-cookies \
                    -J|--remote-header-name -k|--insecure -l|--list-only -L|--location --location-trusted -n|--netrc --netrc-optional -N|--no-buffer \
                    -O|--remote-name --remote-name-all -p|--proxytunnel -q|--disable -Q -R|--remote-time -s|--silent -S|--show-error --ssl \
                    --ssl-reqd --tcp-nodelay --tcp-fastopen -v|--verbose -V|--version -M|--manual -Z|--parallel --path-as-is --post301 --post302 --post303 \
                    --no-progress-meter --progress-bar -:|--next --raw --retry-connrefused --retry-all-errors --xattr --styled-output --no-keepalive --no-clobber --trace-time",
        valued: "-A|--user-agent -b|--cookie -c|--cookie-jar -C|--continue-at -d|--data|--data-ascii --data-binary --data-raw --data-urlencode --json \
                     -D|--dump-header -e|--referer -E|--cert --cert-type --key --key-type --pass --cacert --capath --crlfile --ciphers -F|--form \
                     --form-string -H|--header --connect-timeout --connect-to --resolve --dns-servers --doh-url --interface --local-port \
                     -K|--config -m|--max-time --max-filesize --max-redirs -o|--output --output-dir -P|--ftp-port --proto --proto-default --proto-redir \
                     -x|--proxy --proxy-user -U --preproxy --socks4 --socks4a --socks5 --socks5-hostname --noproxy --proxy-header -r|--range --rate --limit-rate \
                     --request-target -X|--request --retry --retry-delay --retry-max-time -t|--telnet-option -T|--upload-file --url --url-query -u|--user \
                     --oauth2-bearer --aws-sigv4 --unix-socket --abstract-unix-socket -w|--write-out -y|--speed-time -Y|--speed-limit -z|--time-cond --engine \
                     --stderr --trace --trace-ascii --netrc-file --etag-save --etag-compare --hsts --alt-svc --libcurl --pinnedpubkey --random-file --egd-file --quote --postquote \
                     --mail-from --mail-rcpt --keepalive-time --create-file-mode --expect100-timeout --variable --tls-max --tls13-ciphers --delegation --parallel-max --login-options",
        optional: "-h|--help",
        rules: &[
            when(TELLS, NeedsNetwork),
            when(TELLS, Fetches(At::All)),
            always(Fetches(At::Value("--url --proxy --doh-url --preproxy"))),
            always(Connects(At::Value("--socks4 --socks4a --socks5 --socks5-hostname"))),
            always(By(others)),
            always(Writes(At::Value("--unix-socket"))),
            when(Has("--output-dir"), By(named)),
            when(Lacks("--output-dir"), Writes(At::Value("--output"))),
            always(Writes(At::Value(
                "--dump-header --cookie-jar --stderr --trace --trace-ascii --etag-save --hsts --alt-svc --libcurl",
            ))),
            when(Has("--remote-name --remote-name-all"), By(remote_names)),
            when(Has("--remote-header-name"), Unpacks(At::Value("--output-dir"))),
            always(Reads(At::Value("--upload-file --netrc-file --key --cert --etag-compare"))),
            always(Reads(At::ValueRest("--data --data-binary --json --write-out --header --variable", "@"))),
            when(Has("--form --data-urlencode"), By(uploads)),
            when(ValueHas("--write-out", "%output{"), Hides("`curl` that writes what its format names")),
            when(Has("--engine"), Hides("`curl` with a library of its own choice")),
            always(Reads(At::Value("--config"))),
            when(Has("--config"), Hides("`curl` with options from a file")),
        ],
        examples: &[
            ("curl -so .envrc https://x", Expect::Writes(".envrc")),
            ("curl -O https://x/.envrc", Expect::Writes(".envrc")),
            ("curl --output=x https://y", Expect::Writes("x")),
            ("curl --output-dir .git/hooks -O https://x/pre-commit", Expect::Writes(".git/hooks/pre-commit")),
            ("curl --output-dir .git -o config https://x", Expect::Writes(".git/config")),
            ("curl -d @private/x https://y", Expect::Reads("private/x")),
            ("curl -F a=@private/x https://y", Expect::Reads("private/x")),
            ("curl -T private/x https://y", Expect::Reads("private/x")),
            ("curl --engine ./x.so https://y", Expect::Opaque("a library of its own choice")),
            ("curl -K x", Expect::Opaque("options from a file")),
            ("curl -w '%output{.envrc}x' localhost", Expect::Opaque("what its format names")),
            ("curl https://x", Expect::Connects("https://x")),
            ("curl evil.com localhost", Expect::Connects("http://evil.com")),
            ("curl localhost:80@evil.com/", Expect::Connects("http://evil.com/")),
            ("curl --proxy evil.com localhost", Expect::Connects("http://evil.com")),
            ("curl -x socks5://evil.com localhost", Expect::Connects("socks5://evil.com")),
            ("curl --socks5-hostname evil.com localhost", Expect::Connects("tcp://evil.com")),
            ("curl --connect-to ::evil.com: localhost", Expect::Connects("tcp://evil.com")),
            ("curl --connect-to a:80:[::2]:81 localhost", Expect::Connects("tcp://[::2]:81")),
            ("curl --resolve localhost:80:1.2.3.4 localhost", Expect::Connects("tcp://1.2.3.4")),
            ("curl --dns-servers 1.2.3.4 localhost", Expect::Connects("tcp://1.2.3.4")),
            ("curl --unix-socket /run/x.sock http://localhost/", Expect::Writes("/run/x.sock")),
            ("curl localhost:3000/x", Expect::Connects("http://localhost:3000/x")),
            ("curl file:///x/y", Expect::Reads("/x/y")),
        ],
        plain_lines: &["curl -V", "curl -fsSL https://x"],
        ..Program::GNU
    },
    Program {
        family: &["wget", "wget2"],
        flags: "-r|--recursive -H|--span-hosts -m|--mirror -p|--page-requisites --content-disposition --trust-server-names -nH -nd -nc \
                    -nv -np -*",
        valued: "-o|--output-file -a|--append-output -e|--execute -i|--input-file -B|--base --config -t|--tries -O|--output-document \
                     --backups -T|--timeout --dns-timeout --connect-timeout --read-timeout -w|--wait --waitretry -Q|--quota --bind-address --limit-rate \
                     --restrict-file-names --user --password --use-askpass -P|--directory-prefix --cut-dirs --default-page --header --compression \
                     --max-redirect --proxy-user --proxy-password --referer --save-cookies --load-cookies -U|--user-agent --post-data --post-file --method \
                     --body-data --body-file --secure-protocol --certificate --private-key --ca-certificate --ca-directory --hsts-file --ftp-user \
                     --ftp-password --warc-file --warc-header -l|--level -A|--accept -R|--reject --accept-regex --reject-regex -D|--domains \
                     --exclude-domains --follow-tags --ignore-tags -I|--include-directories -X|--exclude-directories --progress --rejected-log --password-file",
        rules: &[
            when(Lacks("--help --version -V -h"), NeedsNetwork),
            always(Fetches(At::All)),
            always(Writes(At::Value(
                "--output-file --append-output --output-document --directory-prefix --save-cookies --hsts-file --warc-file --rejected-log",
            ))),
            when(Lacks("--output-document"), By(remote_names)),
            when_all(
                &[
                    Has(
                        "--recursive --mirror --page-requisites --input-file --content-disposition --trust-server-names",
                    ),
                    Lacks("--output-document"),
                ],
                Unpacks(At::Value("--directory-prefix")),
            ),
            always(Reads(At::Value("--input-file --post-file --body-file --load-cookies --private-key --config"))),
            always(RunsLineWithMore(At::Value("--use-askpass"))),
            when(Has("--use-askpass"), Hides("`wget` that asks a program for a password")),
            when(Has("--execute --config"), Hides("`wget` with settings of its own")),
            when_all(
                &[Has("--input-file --span-hosts"), AtLeast(1)],
                Hides("`wget` to addresses that its arguments do not name"),
            ),
        ],
        examples: &[
            ("wget https://x/.envrc", Expect::Writes(".envrc")),
            ("wget -qO .envrc https://x", Expect::Writes(".envrc")),
            ("wget -P .git/hooks https://x/pre-commit", Expect::Writes(".git/hooks/pre-commit")),
            ("wget -i private/x", Expect::Reads("private/x")),
            ("wget localhost -i x", Expect::Opaque("do not name")),
            ("wget -rH localhost", Expect::Opaque("do not name")),
            ("wget --post-file=private/x https://y", Expect::Reads("private/x")),
            ("wget --use-askpass=./x https://y", Expect::Opaque("asks a program for a password")),
            ("wget -e use_askpass=./x https://y", Expect::Opaque("settings of its own")),
            ("wget evil.com localhost", Expect::Connects("http://evil.com")),
        ],
        plain_lines: &["wget --version", "wget -q https://x"],
        ..Program::GNU
    },
    Program {
        family: &["aria2c", "axel", "yt-dlp", "youtube-dl", "gallery-dl"],
        flags: "-*",
        valued: "-o|--out|--output -d|--dir -i|--input-file -a|--batch-file --conf-path --config-location --config-locations --plugin-dirs --on-download-start \
                     --on-download-complete --on-download-error --on-download-pause --on-download-stop --on-bt-download-complete --exec --exec-before-download \
                     --netrc-cmd --downloader --external-downloader --external-downloader-args --downloader-args --postprocessor-args --ppa --use-postprocessor -P|--paths -f|--format --load-cookies --cookies --save-cookies -l|--log \
                     --ffmpeg-location --rpc-secret --cookies-from-browser",
        rules: &[
            when(Lacks("--help --version -h -v -V"), NeedsNetwork),
            always(Writes(At::Value("--output --dir --save-cookies --log --paths"))),
            when(Has("--input-file --batch-file"), Unpacks(At::Value("--dir --paths"))),
            always(Reads(At::Value("--input-file --batch-file --cookies --load-cookies"))),
            always(RunsLineWithMore(At::Value(
                "--on-download-start --on-download-complete --on-download-error --on-download-pause \
                --on-download-stop --on-bt-download-complete --exec --exec-before-download --netrc-cmd --downloader --external-downloader --ffmpeg-location",
            ))),
            when(
                Has(
                    "--on-download-start --on-download-complete --on-download-error --on-download-pause --on-download-stop \
                --on-bt-download-complete --exec --exec-before-download --netrc-cmd --downloader --external-downloader --ffmpeg-location --ppa --use-postprocessor",
                ),
                Hides("a download that runs a program"),
            ),
            when(
                Has("--conf-path --config-location --config-locations --plugin-dirs"),
                Hides("a download with settings from a file"),
            ),
        ],
        examples: &[
            ("aria2c --on-download-complete=./x https://y", Expect::Opaque("runs a program")),
            ("aria2c --on-download-comp ./x https://y", Expect::Opaque("runs a program")),
            ("yt-dlp --exec 'rm -rf x' https://y", Expect::Runs("rm -rf x $@")),
            ("yt-dlp --config-location x https://y", Expect::Opaque("settings from a file")),
            ("aria2c -d .git https://x", Expect::Writes(".git")),
        ],
        plain_lines: &["aria2c https://x"],
        ..Program::GNU
    },
    Program {
        family: &["http", "https", "httpie", "xh", "xhs"],
        flags: "-d|--download -*",
        valued: "-o|--output -a|--auth -A|--auth-type --session --session-read-only --proxy --cert --cert-key --verify --timeout -p|--print",
        rules: &[
            always(NeedsNetwork),
            always(Writes(At::Value("--output"))),
            when_all(&[Has("--download"), Lacks("--output")], Unpacks(At::Path("."))),
            always(By(uploads)),
        ],
        examples: &[
            ("http -do .envrc GET https://x", Expect::Writes(".envrc")),
            ("http POST https://x a@private/x", Expect::Reads("private/x")),
        ],
        plain_lines: &["xh https://x"],
        ..Program::GNU
    },
];

/// The files that URLs are stored in if no name is given.
fn remote_names(parsed: &Parsed<'_>) -> Vec<Effect> {
    let name = |url: &Value| {
        let path = url.text.split(['?', '#']).next().unwrap_or_default();
        let path = path.split_once("://").map_or(path, |(_, rest)| rest);
        let (_, last) = path.rsplit_once('/')?;
        (!last.is_empty()).then(|| stored(last, url, parsed))
    };
    parsed.operands().chain(parsed.values("--url")).filter_map(name).collect()
}

/// The named output files, which `curl` puts into the folder of another option.
fn named(parsed: &Parsed<'_>) -> Vec<Effect> {
    parsed.values("--output").filter(|name| name.text != "-").map(|name| stored(&name.text, name, parsed)).collect()
}

/// A written file, in the folder that an option names.
fn stored(name: &str, value: &Value, parsed: &Parsed<'_>) -> Effect {
    let Some(folder) = parsed.values("--output-dir --directory-prefix").last() else {
        return Effect::path(Value { text: name.to_owned(), ..value.clone() }, Access::Write);
    };
    let text = format!("{}/{name}", folder.text.trim_end_matches('/'));
    Effect::path(Value { text, is_exact: value.is_exact && folder.is_exact, ..value.clone() }, Access::Write)
}

/// The files that a form names after an `@` or a `<`.
fn uploads(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_curl = parsed.program.all_names().contains(&"curl");
    let forms: Vec<&Value> = if is_curl {
        parsed.values("--form --data-urlencode").collect()
    } else {
        parsed.operands().filter(|operand| !operand.text.contains("://")).collect()
    };
    let file = |value: &Value| {
        let (_, file) = value.text.split_once(['@', '<'])?;
        let file = file.split(';').next().unwrap_or_default();
        Some(Effect::path(Value { text: file.to_owned(), ..value.clone() }, Access::Read))
    };
    forms.into_iter().filter_map(file).collect()
}

/// Hosts that are reached instead of those in the addresses.
fn others(parsed: &Parsed<'_>) -> Vec<Effect> {
    let host = |text: &str, value: &Value| Effect::Host(Value { text: text.to_owned(), ..value.clone() });
    let mut found = Vec::new();
    // `HOST:PORT:OTHER:PORT`, `HOST:PORT:ADDRESS,ADDRESS`.
    let behind = |value: &Value| {
        let (mut colons, mut is_inside) = (0, false);
        let at = value.text.find(|c: char| {
            is_inside = (is_inside || c == '[') && c != ']';
            colons += usize::from(c == ':' && !is_inside);
            colons == 2
        });
        at.map_or_else(|| value.text.clone(), |at| value.text[at + 1..].trim_end_matches(':').to_owned())
    };
    for value in parsed.values("--connect-to") {
        let other = behind(value);
        found.extend((!other.is_empty()).then(|| host(&other, value)));
    }
    for value in parsed.values("--resolve").filter(|value| !value.text.starts_with('-')) {
        found.extend(behind(value).split(',').map(|address| host(address, value)));
    }
    for value in parsed.values("--dns-servers") {
        found.extend(value.text.split(',').map(|address| host(address, value)));
    }
    found
}
