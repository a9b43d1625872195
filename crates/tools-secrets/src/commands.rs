//! Commands that take passwords as arguments, and the position of these.

/// How a command takes a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flag {
    /// `-pPASSWORD`, in one word.
    Attached(&'static str),
    /// `-p PASSWORD`, or in one word.
    Next(&'static str),
    /// `-k PASSWORD`, never in one word.
    Apart(&'static str),
    /// `-u USER:PASSWORD`.
    Pair(&'static str),
    /// `-U USER%PASSWORD`.
    Percent(&'static str),
    /// `-passin pass:PASSWORD`.
    Source(&'static str),
    /// `-b SESSION=VALUE`.
    Cookie(&'static str),
    /// `--value PASSWORD`, if the command has this other word too.
    Beside(&'static str, &'static str),
    /// The argument of this index, options not counted.
    Argument(usize),
}

use Flag::{Apart, Argument, Attached, Beside, Cookie, Next, Pair, Percent, Source};

/// SNMP options, which differ from others only in case.
const SNMP: &[Flag] = &[Apart("-A"), Apart("-X")];

/// Commands with passwords among their arguments.
pub(crate) const COMMANDS: &[(&str, &[Flag])] = &[
    ("mysql ", &[Attached("-p")]),
    ("mysqldump ", &[Attached("-p")]),
    ("mysqladmin ", &[Attached("-p")]),
    ("mysqlimport ", &[Attached("-p")]),
    ("mariadb ", &[Attached("-p")]),
    ("mariadb-dump ", &[Attached("-p")]),
    ("7z ", &[Attached("-p")]),
    ("xfreerdp ", &[Attached("/p:")]),
    ("sshpass ", &[Next("-p")]),
    ("docker login ", &[Next("-p")]),
    ("podman login ", &[Next("-p")]),
    ("buildah login ", &[Next("-p")]),
    ("skopeo login ", &[Next("-p")]),
    ("helm registry login ", &[Next("-p")]),
    ("oc login ", &[Next("-p")]),
    ("az login ", &[Next("-p")]),
    ("az acr login ", &[Next("-p")]),
    ("redis-cli ", &[Next("-a")]),
    ("mongo ", &[Next("-p")]),
    ("mongosh ", &[Next("-p")]),
    ("mongodump ", &[Next("-p")]),
    ("mongorestore ", &[Next("-p")]),
    ("mongoexport ", &[Next("-p")]),
    ("mongoimport ", &[Next("-p")]),
    ("cqlsh ", &[Next("-p")]),
    ("ldapsearch ", &[Next("-w")]),
    ("ldapadd ", &[Next("-w")]),
    ("ldapmodify ", &[Next("-w")]),
    ("ldapwhoami ", &[Next("-w")]),
    ("ldapdelete ", &[Next("-w")]),
    ("ldappasswd ", &[Next("-w")]),
    ("mosquitto_pub ", &[Next("-P")]),
    ("mosquitto_sub ", &[Next("-P")]),
    ("ipmitool ", &[Apart("-P")]),
    ("snmpget ", SNMP),
    ("snmpset ", SNMP),
    ("snmpwalk ", SNMP),
    ("snmpbulkwalk ", SNMP),
    ("gh secret set ", &[Apart("-b"), Next("--body")]),
    ("ssm put-parameter ", &[Beside("SecureString", "--value")]),
    ("cache_peer ", &[Pair("login=")]),
    ("sqlcmd ", &[Next("-P")]),
    ("bcp ", &[Next("-P")]),
    ("unzip ", &[Next("-P")]),
    ("zip ", &[Next("-P")]),
    ("keytool ", &[Next("-storepass"), Next("-keypass")]),
    ("curl ", &[Pair("-u"), Pair("--user"), Pair("-U"), Pair("--proxy-user"), Cookie("-b"), Cookie("--cookie")]),
    ("smbclient ", &[Percent("-U")]),
    ("rpcclient ", &[Percent("-U")]),
    ("openssl ", &[Source("-passin"), Source("-passout"), Source("-pass"), Apart("-k")]),
    ("rabbitmqctl add_user ", &[Argument(1)]),
    ("rabbitmqctl change_password ", &[Argument(1)]),
    ("htpasswd -b", &[Argument(2)]),
    ("convertto-securestring ", &[Argument(0), Next("-string")]),
];
