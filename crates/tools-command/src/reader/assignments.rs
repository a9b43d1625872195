//! Variables that make other programs run or load something: setting one is a command in disguise.

use super::command::Value;
use crate::registry::addressed;

/// Values of such variables that are always harmless.
const HARMLESS: [&str; 12] =
    ["", "cat", "less", "less -R", "less -FRX", "more", "true", ":", "/bin/true", "/bin/cat", "0", "1"];

/// Names of variables that tell a program what to run or to load. A name may have a `*` at one end;
/// names are separated by blanks.
const DANGEROUS: &[&str] = &[
    // The shell and the loader.
    "PATH PWD OLDPWD CDPATH EXECIGNORE GLOBIGNORE TEXTDOMAIN TEXTDOMAINDIR BASH_COMPAT LD_* DYLD_* \
     GCONV_PATH LOCPATH NLSPATH BASH_ENV ENV PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND BASH_FUNC_* \
     BASH_CMDS BASH_ALIASES BASH_LOADABLES_PATH SHELLOPTS BASHOPTS SHELL ZDOTDIR FPATH",
    // Places where programs look for their settings.
    "HOME XDG_* CARGO_HOME RUSTUP_* GNUPGHOME INPUTRC SCREENRC WGETRC CURL_HOME NETRC PHPRC \
     PHP_INI_SCAN_DIR RIPGREP_CONFIG_PATH DOCKER_CONFIG KUBECONFIG OPENSSL_* ANSIBLE_*",
    // Programs that other programs start.
    "*PAGER EDITOR VISUAL *_EDITOR BROWSER SSH_ASKPASS SUDO_ASKPASS LESSOPEN LESSCLOSE MANOPT \
     MANROFFOPT MANPATH RSYNC_RSH CVS_RSH FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS TAR_OPTIONS TAPE \
     GZIP ZIPOPT UNZIP RSYNC_* GIT_* HGRCPATH HG_* SVN_SSH LESS VIMINIT EXINIT GVIMINIT MYVIMRC \
     VIM VIMRUNTIME EMACSLOADPATH GDBINIT DEBUGINFOD_URLS TERMINFO*",
    // Builds and languages.
    "RUSTC RUSTC_* RUSTDOC RUSTFLAGS RUSTDOCFLAGS RUSTFMT CARGO_BUILD_* CARGO_TARGET_* \
     CARGO_ALIAS_* CARGO_ENCODED_* CARGO_REGISTRIES_* CARGO_REGISTRY_* CARGO_UNSTABLE_* CARGO \
     GOFLAGS GOENV GOROOT GOPATH GOTOOLDIR GOTOOLCHAIN GOPROXY GOCACHEPROG GOWORK CGO_* \
     MAKEFILES MAKEFLAGS GNUMAKEFLAGS MFLAGS MAKE CC CXX CPP LD AR AS COMPILER_PATH \
     GCC_EXEC_PREFIX CMAKE_*_LAUNCHER CMAKE_GENERATOR CMAKE_TOOLCHAIN_FILE PKG_CONFIG \
     PKG_CONFIG_PATH CONFIG_SHELL CONFIG_SITE PYTHONSTARTUP PYTHONHOME PYTHONPATH \
     PYTHONUSERBASE PYTHONBREAKPOINT PYTHONINSPECT PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX \
     PYTHONWARNINGS PYTEST_ADDOPTS PYTEST_PLUGINS PIP_* UV_* PERL5OPT PERL5LIB PERL5DB PERLLIB \
     PERL_* RUBYOPT RUBYLIB GEM_HOME GEM_PATH BUNDLE_* JAVA_HOME JAVA_TOOL_OPTIONS \
     _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH MAVEN_* GRADLE_* ANT_* LUA_* AWKPATH AWKLIBPATH \
     NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE npm_config_* NPM_CONFIG_* YARN_* JULIA_* \
     R_PROFILE* R_ENVIRON* ERL_* ELIXIR_* PSQLRC DOCKER_HOST AUTOM4TE AUTOCONF AUTOMAKE ACLOCAL \
     GROFF_* RESTIC_PASSWORD_COMMAND BORG_PASSCOMMAND BORG_RSH RCLONE_* TF_CLI_* LESSKEY* \
     BAT_* FZF_* SSH_ASKPASS*",
    // Endings of names that have such a meaning for many programs.
    "*_OPTS *_LAUNCHER *_WRAPPER *_EXTERNAL_DIFF *_STARTUP_HOOKS *_EXECUTABLE_PATH \
     *_BINARY_PATH *_PLUGIN_PATH *_PLUGIN_DIR *_PLUGINS *_CONFIG_FILE *_CONFIG_DIR \
     *SAN_SYMBOLIZER_PATH",
    // Clouds, clusters and containers.
    "TERRAFORM_CONFIG TF_REATTACH_PROVIDERS PACKER_* VAGRANT_* CLOUDSDK_* AZURE_EXTENSION_DIR \
     HELM_* CONTAINERS_CONF* CONTAINER_HOST DOCKER_CONTEXT BUILDX_CONFIG",
    // Tools of languages that load code by their settings.
    "BUN_OPTIONS BUN_INSTALL BUN_CONFIG_* COREPACK_* TS_NODE_* ELECTRON_OVERRIDE_DIST_PATH \
     CYPRESS_RUN_BINARY CHROME_BIN CHROME_PATH LEFTHOOK_BIN GUNICORN_CMD_ARGS \
     COVERAGE_PROCESS_START COVERAGE_RCFILE IPYTHONDIR JUPYTER_* MPLBACKEND MATPLOTLIBRC \
     PYENV_ROOT CONDA_EXE TOX_OVERRIDE HARNESS_* MIX_ARCHIVES MIX_EXS MIX_HOME MIX_PATH \
     COMPOSER COMPOSER_HOME CORECLR_* COR_* DOTNET_ADDITIONAL_DEPS DOTNET_ROOT MSBUILD* M2_HOME \
     KOTLIN_COMPILER_CLASSPATH GROOVY_CONF BAZEL_SH BAZELISK_* USE_BAZEL_VERSION CCACHE_* \
     SWIFT_EXEC DEVELOPER_DIR GCCGO GOAUTH GOVCS CAML_LD_LIBRARY_PATH DART_VM_OPTIONS \
     FLUTTER_ROOT",
    // Clients of databases, and libraries that load modules.
    "PGSYSCONFDIR LIBMYSQL_* MYSQL_HOME REDISCLI_RCFILE ODBC* SASL_PATH GTK_MODULES GTK_PATH \
     GIO_EXTRA_MODULES LIBGL_DRIVERS_PATH VK_ICD_FILENAMES",
    // Programs that builds start besides the compilers.
    "YACC LEX RANLIB STRIP NM OBJCOPY FC M4 AWK MAKEINFO",
];

/// Exceptions: names that a pattern above covers but that do not decide what is run.
const PLAIN: &[&str] = &["GIT_AUTHOR_* GIT_COMMITTER_* GIT_TERMINAL_PROMPT GIT_MERGE_AUTOEDIT GIT_OPTIONAL_LOCKS \
     GIT_CURL_VERBOSE GIT_LFS_SKIP_SMUDGE GIT_PS1_* GIT_REFLOG_ACTION \
     GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_LITERAL_PATHSPECS PIP_DISABLE_PIP_VERSION_CHECK \
     PIP_NO_INPUT PIP_NO_CACHE_DIR PIP_QUIET CARGO_BUILD_JOBS CARGO_TARGET_DIR CGO_ENABLED \
     UV_NO_PROGRESS ANSIBLE_NOCOLOR ANSIBLE_FORCE_COLOR NPM_CONFIG_LOGLEVEL npm_config_loglevel \
     npm_config_yes XDG_SESSION_TYPE HG_PLAIN PERL_MM_USE_DEFAULT YARN_ENABLE_TELEMETRY \
     BUNDLE_JOBS BUNDLE_FROZEN CCACHE_DIR CCACHE_DISABLE CCACHE_MAXSIZE COREPACK_ENABLE_* \
     HELM_NAMESPACE HELM_KUBECONTEXT"];

/// Compilers and build tools by their own names.
const COMPILERS: [&str; 12] = ["gcc", "g++", "cc", "c++", "clang", "clang++", "cpp", "ld", "ar", "as", "make", "tcc"];

/// Whether a variable with this value decides what other programs run or load.
pub fn decides_what_runs(name: &str, value: &str) -> bool {
    objection(name, value, true).is_some()
}

/// Whether a variable makes programs connect through another host.
pub(super) fn leads_elsewhere(name: &str, value: &Value) -> bool {
    let name = name.to_ascii_lowercase();
    let is_proxy = matches!(name.as_str(), "http_proxy" | "https_proxy" | "ftp_proxy" | "all_proxy" | "rsync_proxy");
    let address = addressed(value).text;
    let host = address.split_once("://").map_or(address.as_str(), |(_, rest)| rest);
    let host = host.split(['/', ':', '?', '#', '\\']).next().unwrap_or_default();
    is_proxy && value.is_exact && !matches!(host, "" | "localhost" | "127.0.0.1")
}

/// Reason to ask before this variable is set to this value; `None` if there is none.
pub(super) fn objection(name: &str, value: &str, is_exact: bool) -> Option<String> {
    let is_harmless = match name {
        "PATH" | "CDPATH" => is_system_path(value),
        "NODE_PATH" | "PYTHONPATH" => is_own_path(value),
        // Memory limits and warnings are the usual use.
        "NODE_OPTIONS" => {
            let harmless = [
                "--max-old-space-size", "--no-warnings", "--no-deprecation", "--trace-warnings", "--trace-deprecation",
                "--enable-source-maps", "--stack-trace-limit",
            ];
            is_exact
                && value.split_whitespace().all(|word| harmless.contains(&word.split('=').next().unwrap_or_default()))
        }
        "RUSTFLAGS" | "RUSTDOCFLAGS" => is_exact && are_plain_rust_flags(value),
        "GOFLAGS" => {
            is_exact
                && value.split_whitespace().all(|flag| {
                    ["-mod=", "-count=", "-tags=", "-v", "-race", "-trimpath"]
                        .iter()
                        .any(|plain| flag.starts_with(plain))
                        && !flag.starts_with("-vettool")
                })
        }
        "MAKEFLAGS" => {
            is_exact && value.trim_start_matches('-').chars().all(|c| c == 'j' || c == 'k' || c.is_ascii_digit())
        }
        "PYTHONWARNINGS" => is_exact && ["ignore", "default", "error", "always", "once", "module"].contains(&value),
        "LESS" => {
            is_exact
                && value.chars().all(|c| c == '-' || c.is_ascii_alphabetic())
                && !value.contains(['k', 'o', 'O', 't', 'T', 'p'])
        }
        "CC" | "CXX" | "CPP" | "LD" | "AR" | "AS" | "MAKE" => {
            is_exact && (COMPILERS.contains(&value) || value.is_empty())
        }
        // The same program under another name: `gawk`, `llvm-strip`.
        "YACC" | "LEX" | "RANLIB" | "STRIP" | "NM" | "OBJCOPY" | "FC" | "M4" | "AWK" | "MAKEINFO" => {
            let usual = ["bison -y", "flex", "gfortran"];
            let is_kin = value.to_uppercase().ends_with(name) && !value.contains(['/', ' ']);
            is_exact && (value.is_empty() || is_kin || usual.contains(&value))
        }
        "MPLBACKEND" => is_exact && !value.contains(':'),
        _ if name.ends_with("_OPTS") => is_exact && value.split_whitespace().all(is_memory_setting),
        "GOPROXY" => is_exact && ["off", "direct"].contains(&value),
        "JAVA_HOME" => is_exact && value.starts_with("/usr/lib/jvm/") && !value.contains(".."),
        "GOTOOLCHAIN" => is_exact && value == "local",
        "RUSTUP_TOOLCHAIN" => is_exact && !value.contains('/'),
        "GIT_PAGER_IN_USE" => true,
        _ if is_listed(PLAIN, name) || !is_listed(DANGEROUS, name) => true,
        _ => is_exact && HARMLESS.contains(&value),
    };
    (!is_harmless).then(|| format!("the variable `{name}` decides what other programs run"))
}

/// Whether a word tells a Java machine how much memory it may use.
fn is_memory_setting(word: &str) -> bool {
    ["-Xmx", "-Xms", "-Xss", "-Xmn", "-XX:Max", "-XX:Reserved", "-XX:+Use"].iter().any(|start| word.starts_with(start))
}

/// Whether every part of a search path is a folder of the system or of the user's own installed
/// programs.
fn is_system_path(value: &str) -> bool {
    let folders = [
        "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/go/bin",
        "/usr/lib/ccache", "/opt/homebrew/bin", "/usr/local/cargo/bin", "$PATH", "${PATH}", "$HOME/bin",
        "$HOME/.local/bin", "$HOME/.cargo/bin", "$HOME/go/bin", "$HOME/.npm-global/bin", "$HOME/.bun/bin",
        "$HOME/.deno/bin",
    ];
    value.trim_matches('"').split(':').all(|part| {
        let part =
            part.strip_prefix("~/").map_or_else(|| part.replace("${HOME}", "$HOME"), |rest| format!("$HOME/{rest}"));
        folders.contains(&part.trim_end_matches('/'))
    })
}

/// Whether every part of a module search path is in the working folder, the home or the system.
fn is_own_path(value: &str) -> bool {
    value.trim_matches('"').split(':').all(|part| {
        let is_own = part.is_empty()
            || part.starts_with("/usr/lib/")
            || matches!(
                part,
                "." | "$PYTHONPATH" | "${PYTHONPATH}" | "$NODE_PATH" | "${NODE_PATH}" | "$PWD" | "$(pwd)"
            )
            || ["$PWD/", "./", "$HOME/", "~/"].iter().any(|start| part.starts_with(start))
            || part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        is_own && !part.split('/').any(|step| step == "..")
    })
}

/// Whether the flags only concern code generation, lints and features, and name no linker, plug-in
/// or file.
fn are_plain_rust_flags(value: &str) -> bool {
    let codegen = [
        "target-cpu", "target-feature", "opt-level", "debuginfo", "debug-assertions", "overflow-checks", "lto",
        "codegen-units", "panic", "strip", "instrument-coverage", "force-frame-pointers", "incremental",
        "embed-bitcode",
    ];
    let mut words = value.split_whitespace();
    while let Some(word) = words.next() {
        let (kind, setting) = match word {
            "-C" | "-D" | "-W" | "-A" | "-F" | "--cfg" | "--deny" | "--warn" | "--allow" | "--check-cfg" => {
                (word, words.next().unwrap_or_default())
            }
            _ if word.starts_with("-C")
                || word.starts_with("-D")
                || word.starts_with("-W")
                || word.starts_with("-A") =>
            {
                word.split_at(2)
            }
            "--emit" | "--print" | "--crate-type" | "--edition" if !words.next().unwrap_or_default().contains('=') => {
                continue;
            }
            "-g" | "-O" | "-v" | "--document-private-items" => continue,
            _ if word.starts_with("--cfg=") || word.starts_with("--cap-lints") => continue,
            _ => return false,
        };
        if kind == "-C" && !codegen.contains(&setting.split('=').next().unwrap_or_default()) {
            return false;
        }
    }
    true
}

/// Whether a name matches one of the patterns of these lists; patterns are separated by blanks.
fn is_listed(lists: &[&str], name: &str) -> bool {
    lists.iter().flat_map(|list| list.split(' ')).any(|pattern| matches(pattern, name))
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_run_things_are_told_from_the_rest() {
        let stopped = [
            ("LD_PRELOAD", "./x.so"),
            ("BASH_ENV", "./x"),
            ("GIT_EDITOR", "sudo id"),
            ("PAGER", "sudo id"),
            ("PATH", ".:$PATH"),
            ("PATH", "/tmp/x"),
            ("NODE_OPTIONS", "--require ./x"),
            ("CARGO_TARGET_X86_RUNNER", "sudo"),
            ("PS4", "$(id)"),
            ("PATH", "src:$PATH"),
            ("PATH", "/usr/../tmp/x"),
            ("PATH", "/binx"),
            ("PATH", "$PWD/x:$PATH"),
            ("BASH_CMDS", "./x"),
            ("RUSTFLAGS", "-Clinker=./x"),
            ("RUSTFLAGS", "-C linker=./x"),
            ("GOFLAGS", "-toolexec=./x"),
            ("HOME", "./x"),
            ("VIMINIT", "!x"),
            ("NODE_OPTIONS", "-r ./x"),
            ("KUBECTL_EXTERNAL_DIFF", "./x"),
            ("DOTNET_STARTUP_HOOKS", "x.dll"),
            ("GRADLE_OPTS", "-javaagent:x"),
            ("AWS_CONFIG_FILE", "x"),
            ("BUN_OPTIONS", "--preload ./x"),
            ("STRIP", "rm"),
            ("AWK", "./gawk"),
        ];
        for (name, value) in stopped {
            assert!(objection(name, value, true).is_some(), "{name}={value}");
        }
        let passed = [
            ("CI", "1"),
            ("RUST_BACKTRACE", "1"),
            ("GIT_PAGER", "cat"),
            ("PAGER", "cat"),
            ("GIT_EDITOR", "true"),
            ("FOO", "x"),
            ("NODE_OPTIONS", "--max-old-space-size=4096"),
            ("PATH", "$HOME/bin:$PATH"),
            ("RUSTFLAGS", "-D warnings -C target-cpu=native"),
            ("PYTHONPATH", "src:$PYTHONPATH"),
            ("CARGO_TARGET_DIR", "target/x"),
            ("MAKEFLAGS", "-j4"),
            ("MAVEN_OPTS", "-Xmx2g -XX:MaxMetaspaceSize=1g"),
            ("AWK", "gawk"),
            ("MPLBACKEND", "Agg"),
            ("MIX_ENV", "test"),
            ("GIT_AUTHOR_NAME", "A"),
            ("IFS", ","),
        ];
        for (name, value) in passed {
            assert!(objection(name, value, true).is_none(), "{name}={value}");
        }
    }
}
