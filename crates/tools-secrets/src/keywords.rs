//! Keywords, and the scanner for each.

use crate::{commands, providers};

/// The scanner for a keyword.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scanner {
    Provider(&'static providers::Provider),
    Jwt,
    Atlas,
    Telegram,
    Entra,
    AzureDevops,
    Webhook,
    Discord,
    Airtable,
    AzureService,
    Firebase,
    Twilio,
    Unseal,
    GoAddress,
    Mnemonic,
    Pem,
    PemEnd,
    Putty,
    Hash,
    MasterKey,
    UserInfo,
    Signature,
    PgPass,
    Authorization,
    Bearer,
    Cookie,
    Session,
    Assignment,
    Data,
    Encoded,
    Command(&'static [commands::Flag]),
    Call(usize),
    Login,
}

/// Parts of names after which a value may be a credential.
const NAMES: &[&str] = &[
    "passw",
    "passphrase",
    "passcode",
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "credential",
    "auth",
    "jwt",
    "dsn",
    "bearer",
    "identified by",
    "_pat",
    "_otp",
    "salt",
    "hmac",
    "cred",
    "dockerc",
    "bw_session",
    "bindpw",
    "rootpw",
    "psk",
];
/// Session cookies of known frameworks.
const SESSIONS: &[&str] = &[
    "phpsessid",
    "jsessionid",
    "asp.net_sessionid",
    "connect.sid",
    "laravel_session",
    "_session_id",
    "_gitlab_session",
];
/// Webhook URLs, to which anybody who knows them may post.
const WEBHOOKS: &[&str] = &[
    "hooks.slack.com/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "webhook.office.com/webhookb2/",
    "hooks.zapier.com/hooks/catch/",
    ".tines.com/webhook/",
    "outlook.office.com/webhook/",
];

/// Calls that take a password, and its index among their arguments.
const CALLS: &[(&str, usize)] = &[
    ("networkcredential(", 1),
    ("usernamepasswordcredentials(", 1),
    ("passwordauthentication(", 1),
    ("credentials.basic(", 1),
    ("auth.basic(", 1),
    ("basic_auth(", 1),
    ("basicauth(", 1),
    ("digestauth(", 1),
    ("auth=(", 1),
    ("auth = (", 1),
    ("plainauth(", 2),
    ("mysqli(", 2),
    ("mysqli_connect(", 2),
    ("new pdo(", 2),
    ("ftp_login(", 2),
    ("ssh2_auth_password(", 2),
    ("drivermanager.getconnection(", 2),
];

/// Beginnings of password hashes.
const HASHES: &[&str] = &[
    "$1$",
    "$5$",
    "$6$",
    "$8$",
    "$9$",
    "$y$",
    "$gy$",
    "$2a$",
    "$2b$",
    "$2y$",
    "$apr1$",
    "$argon2",
    "$pbkdf2",
    "$scrypt$",
    "$P$B",
    "pbkdf2_sha256$",
    "{SSHA}",
    "{SSHA512}",
];
/// All keywords. Of two at the same position the longer counts.
pub(crate) fn all() -> Vec<(&'static str, Scanner)> {
    let mut words: Vec<(&'static str, Scanner)> =
        providers::PROVIDERS.iter().map(|provider| (provider.prefix, Scanner::Provider(provider))).collect();
    words.extend(NAMES.iter().map(|name| (*name, Scanner::Assignment)));
    words.extend(HASHES.iter().map(|hash| (*hash, Scanner::Hash)));
    words.extend(commands::COMMANDS.iter().map(|(name, flags)| (*name, Scanner::Command(flags))));
    words.extend(CALLS.iter().map(|(name, index)| (*name, Scanner::Call(*index))));
    words.extend(SESSIONS.iter().map(|name| (*name, Scanner::Session)));
    words.extend(WEBHOOKS.iter().map(|host| (*host, Scanner::Webhook)));
    words.extend([
        ("eyJ", Scanner::Jwt),
        ("discord", Scanner::Discord),
        (".login(", Scanner::Login),
        ("login(", Scanner::Discord),
        ("bot ", Scanner::Discord),
        (".run(", Scanner::Discord),
        ("pat", Scanner::Airtable),
        ("JQQJ99", Scanner::AzureService),
        (":APA91b", Scanner::Firebase),
        ("client(", Scanner::Twilio),
        ("twilio(", Scanner::Twilio),
        ("unseal key", Scanner::Unseal),
        ("unseal_key", Scanner::Unseal),
        ("recovery key ", Scanner::Unseal),
        ("@tcp(", Scanner::GoAddress),
        ("@unix(", Scanner::GoAddress),
        ("mnemonic", Scanner::Mnemonic),
        ("seed phrase", Scanner::Mnemonic),
        ("seed_phrase", Scanner::Mnemonic),
        ("recovery phrase", Scanner::Mnemonic),
        (":AA", Scanner::Telegram),
        ("Q~", Scanner::Entra),
        ("AZDO", Scanner::AzureDevops),
        ("Private-Lines: ", Scanner::Putty),
        (":5432:", Scanner::PgPass),
        (":*:", Scanner::PgPass),
        ("bearer ", Scanner::Bearer),
        (".atlasv1.", Scanner::Atlas),
        ("-----BEGIN ", Scanner::Pem),
        ("-----END ", Scanner::PemEnd),
        ("master.key", Scanner::MasterKey),
        ("://", Scanner::UserInfo),
        ("sig=", Scanner::Signature),
        ("signature=", Scanner::Signature),
        ("authorization", Scanner::Authorization),
        ("cookie", Scanner::Cookie),
        ("%3d", Scanner::Encoded),
        ("%3a", Scanner::Encoded),
        ("%22", Scanner::Encoded),
        ("&quot;", Scanner::Encoded),
        ("&#34;", Scanner::Encoded),
        ("data:", Scanner::Data),
        ("data\":", Scanner::Data),
        ("data':", Scanner::Data),
        ("data\\\":", Scanner::Data),
    ]);
    words
}
