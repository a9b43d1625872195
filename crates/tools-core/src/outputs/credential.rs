//! Names of credentials: of environment variables, members, parameters, headers. Values are judged
//! elsewhere.

/// Words that mark a name as a credential anywhere in it.
const STRONG: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "secrets",
    "credential",
    "credentials",
    "apikey",
    "authtoken",
    "accesskey",
    "privatekey",
    "secretkey",
    "sshpass",
    "token",
    "jwt",
    "bearer",
    "creds",
    "passwort",
    "pgpass",
    "passkey",
    "mnemonic",
];
/// Words that mark a name as a credential at its end.
const LAST: &[&str] = &[
    "pass",
    "pwd",
    "pw",
    "auth",
    "authorization",
    "pat",
    "dsn",
    "cookie",
    "cookies",
    "passwords",
    "apikeys",
    "cred",
    "otp",
    "totp",
    "salt",
    "hmac",
    "sas",
    "dockerconfigjson",
    "dockercfg",
    "bindpw",
    "rootpw",
    "requirepass",
    "masterauth",
    "psk",
];
/// Last words of names that are not credentials, whatever precedes them.
const HARMLESS_END: &[&str] = &[
    "age",
    "algo",
    "algorithm",
    "arn",
    "at",
    "attempts",
    "class",
    "expiration",
    "fingerprint",
    "format",
    "hint",
    "interval",
    "label",
    "lifetime",
    "location",
    "max",
    "method",
    "min",
    "pattern",
    "prefix",
    "prompt",
    "retries",
    "rule",
    "rules",
    "scheme",
    "seconds",
    "source",
    "state",
    "param",
    "parameter",
    "required",
    "status",
    "strength",
    "suffix",
    "timeout",
    "validator",
    "verification",
    "count",
    "dir",
    "directory",
    "enabled",
    "endpoint",
    "env",
    "expires",
    "expired",
    "expiry",
    "field",
    "file",
    "header",
    "home",
    "host",
    "id",
    "ids",
    "issuer",
    "length",
    "limit",
    "manager",
    "mode",
    "name",
    "path",
    "policy",
    "port",
    "profile",
    "provider",
    "ref",
    "region",
    "server",
    "size",
    "sock",
    "stdin",
    "store",
    "ttl",
    "type",
    "uri",
    "url",
    "usage",
    "user",
    "username",
    "version",
];
/// Words before `token` that make it no secret: such a token names a page, a change or an attempt.
const HARMLESS_TOKEN: &[&str] = &["change", "continuation", "idempotency", "next", "pagination"];
/// Words before `key` that make it no secret.
const HARMLESS_KEY: &[&str] = &[
    "public",
    "primary",
    "foreign",
    "cache",
    "sort",
    "partition",
    "hot",
    "index",
    "object",
    "host",
    "routing",
    "group",
    "dedup",
    "idempotency",
    "lookup",
    "map",
    "row",
    "column",
    "translation",
    "i18n",
    "message",
    "event",
    "short",
    "arrow",
    "known",
    "authorized",
    "ssh",
    "b",
    "a",
    "k",
    "the",
    "this",
    "any",
    "each",
    "which",
    "by",
    "of",
    "dict",
    "json",
    "unique",
    "recv",
    "trusted",
    "correlation",
];

/// Whether a variable or member of this name holds a credential.
///
/// Words are separated by `_`, `-`, `.`, other punctuation and by case. A short list of words
/// decides, most of them anywhere in the name; some endings (`_DIR`, `_URL`, `_REGION`) mean that
/// it is something else.
pub fn is_credential_name(name: &str) -> bool {
    let words = words(name);
    match words.as_slice() {
        [] => false,
        // The current and the previous working directory of a shell.
        [only] if only == "pwd" || only == "oldpwd" => false,
        // Bundler: `BUNDLE_GITHUB__COM` holds the credentials of a host.
        [first, ..] if first == "bundle" && name.contains("__") => true,
        // Half of a pair whose other half is usually known to whoever sees it.
        [.., access, key, id] if access == "access" && key == "key" && id == "id" => true,
        _ => is_named_so(&words),
    }
}

/// As [`is_credential_name`] for a key in a text, where `pwd=` is a password and not a folder.
pub fn is_credential_key(name: &str) -> bool {
    let words = words(name);
    // In code `_PAT` is a pattern; tokens called PAT are recognised by their form.
    let is_pattern = words.last().is_some_and(|last| last == "pat") && words.len() > 1;
    matches!(words.as_slice(), [only] if only == "pwd") || !is_pattern && is_named_so(&words)
}

fn is_named_so(words: &[String]) -> bool {
    // `FLOW_PASSWORD_REQUIRED_V2`
    let is_version = |word: &&String| word.strip_prefix('v').is_some_and(|number| number.parse::<u8>().is_ok());
    let Some(last) = words.iter().rev().find(|word| !is_version(word)) else { return false };
    let is_strong = |word: &String| {
        STRONG.contains(&word.as_str())
            || ["password", "passwd", "passphrase", "apikey"].iter().any(|end| word.ends_with(end))
    };
    if HARMLESS_END.contains(&last.as_str()) || is_harmless_token(words) {
        return false;
    }
    words.iter().any(is_strong) || LAST.contains(&last.as_str()) || is_secret_key(words)
}

/// `NextToken`, `clientRequestToken`: values that services use to distinguish calls.
fn is_harmless_token(words: &[String]) -> bool {
    match words {
        [.., client, request, token] if token == "token" && client == "client" && request == "request" => true,
        [.., before, token] if token == "token" => HARMLESS_TOKEN.contains(&before.as_str()),
        _ => false,
    }
}

/// `api_key`, `STORAGE_KEY`, `x-api-key`, `AccountKey`: a key, unless of something public.
fn is_secret_key(words: &[String]) -> bool {
    let of = words.iter().zip(words.iter().skip(1));
    let mut keys = of.filter(|(_, word)| *word == "key" || *word == "keys");
    keys.next_back()
        .is_some_and(|(before, word)| !HARMLESS_KEY.contains(&before.as_str()) && words.last() == Some(word))
}

/// The words of a name, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![];
    let mut word = String::new();
    let mut before = ' ';
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        let starts_word = character.is_uppercase()
            && (before.is_lowercase()
                || before.is_ascii_digit()
                || (before.is_uppercase() && characters.peek().is_some_and(|next| next.is_lowercase())));
        if (starts_word || !character.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        before = character;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in [
            "AWS_SECRET_ACCESS_KEY",
            "githubToken",
            "PGPASSWORD",
            "db_pwd",
            "npm_config_//r.example/:_authToken",
            "x-api-key",
            "SSHPASS",
            "APIKEY",
            "TF_TOKEN_app_terraform_io",
            "BUNDLE_GITHUB__COM",
            "ses_smtp_password_v4",
            "secret_key_base",
            "AccountKey",
            "HTTP_AUTH",
            "SENTRY_DSN",
            "APIToken",
            "requirepass",
            "bindpw",
            "wpa_psk",
        ] {
            assert!(is_credential_name(name), "{name}");
        }
        for name in [
            "HOME",
            "PWD",
            "OLDPWD",
            "SSH_AUTH_SOCK",
            "AWS_REGION",
            "AWS_PROFILE",
            "MAX_TOKENS",
            "TOKENIZERS_PARALLELISM",
            "COMPASS_DIR",
            "PASSENGER_ENV",
            "MONKEYPATCH",
            "KEYBOARD",
            "public_key",
            "key",
            "token_type",
            "nextToken",
            "ChangeToken",
            "ClientRequestToken",
            "password_file",
            "FLOW_PASSWORD_REQUIRED_V2",
            "SESSION_TOKEN_QUERY_PARAM",
            "",
            "_",
            "GPG_TTY",
            "author",
            "authors",
            "correlation-key",
        ] {
            assert!(!is_credential_name(name), "{name}");
        }
    }
}
