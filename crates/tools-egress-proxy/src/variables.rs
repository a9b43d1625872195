//! Environment variables that make programs use the endpoint. They are no protection, and need not
//! be: a program that ignores them has no other way out.

use std::ffi::OsString;

/// Script that `ssh` runs instead of connecting: it asks the endpoint for the connection and copies
/// bytes, with programs that every machine has. A refusal of the endpoint gives its reason in the
/// body. The background copy reads from descriptor 4, because bash gives a background process no
/// standard input.
const TUNNEL: &str = r#"exec 4<&0 3<>"/dev/tcp/127.0.0.1/$HAFT_GATE_PORT" || exit 1
printf 'CONNECT %s:%s HTTP/1.1\r\n\r\n' "$1" "$2" >&3
IFS= read -r -u 3 status
while IFS= read -r -u 3 line && [ "$line" != $'\r' ]; do :; done
case $status in *" 200 "*) ;; *) cat <&3 >&2; exit 1 ;; esac
cat <&4 >&3 &
cat <&3
kill $! 2>/dev/null"#;

/// Variables for an endpoint on this port of the loopback interface.
pub(crate) fn variables(port: u16) -> Vec<(OsString, OsString)> {
    let proxy = format!("http://127.0.0.1:{port}");
    // Not SOCKS in `ALL_PROXY`: some clients refuse to start when they see it and lack a library
    // for it.
    let proxied = [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
        // These override a proxy in the user's own settings, which commands cannot reach.
        "CARGO_HTTP_PROXY",
        "npm_config_proxy",
        "npm_config_https_proxy",
        "PIP_PROXY",
        "YARN_HTTP_PROXY",
        "YARN_HTTPS_PROXY",
    ];
    let direct = "localhost,127.0.0.1,::1";
    let java = ["http", "https"].map(|scheme| format!("-D{scheme}.proxyHost=127.0.0.1 -D{scheme}.proxyPort={port}"));
    let java = format!("{} -Dhttp.nonProxyHosts=localhost|127.*|[::1]", java.join(" "));
    let further = [
        ("NO_PROXY", direct.to_owned()),
        ("no_proxy", direct.to_owned()),
        ("npm_config_noproxy", direct.to_owned()),
        ("NODE_USE_ENV_PROXY", "1".to_owned()),
        ("JAVA_TOOL_OPTIONS", java),
        ("HAFT_GATE_PORT", port.to_string()),
        ("HAFT_TUNNEL", TUNNEL.to_owned()),
        ("GIT_SSH_COMMAND", r#"ssh -o 'ProxyCommand=/bin/bash -c "$HAFT_TUNNEL" haft-tunnel %h %p'"#.to_owned()),
    ];
    let proxied = proxied.map(|name| (name, proxy.clone()));
    proxied.into_iter().chain(further).map(|(name, value)| (name.into(), value.into())).collect()
}
