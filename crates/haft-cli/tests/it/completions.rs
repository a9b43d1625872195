//! Completion scripts in their shells: tools and parameters are completed, and all else as before.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::Haft;

/// What a shell prints that runs `script`; `None` where it is not installed.
fn ran(haft: &Haft, shell: &str, arguments: &[&str]) -> Option<Vec<String>> {
    let folder = Path::new(env!("CARGO_BIN_EXE_haft")).parent().expect("it is in a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(shell);
    command.args(arguments).current_dir(haft.workspace.root()).env_clear().stdin(Stdio::null());
    let output = command.env("PATH", format!("{folder}:{path}")).env("HOME", haft.home.root()).output();
    let Ok(output) = output else {
        eprintln!("SKIPPED {shell}: it is not installed");
        return None;
    };
    let text = String::from_utf8(output.stdout).expect("it is text");
    Some(text.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect())
}

/// What bash offers for these words, the last of which is being typed.
fn in_bash(haft: &Haft, words: &str) -> Vec<String> {
    let script = format!(
        "source <(haft completions bash)\nCOMP_WORDS=({words})\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
         eval \"$(complete -p haft | sed -E 's/.*-F ([^ ]+).*/\\1/') haft \\\"${{COMP_WORDS[COMP_CWORD]}}\\\" x\"\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    ran(haft, "bash", &["-c", &script]).expect("bash is there")
}

#[test]
fn bash_completes_tools_and_their_parameters() {
    let haft = Haft::new();
    let names = in_bash(&haft, "haft call re");
    assert_eq!(names, ["read", "read_overflow"]);
    assert_eq!(in_bash(&haft, "haft --json explain rea"), ["read", "read_overflow"]);
    assert_eq!(in_bash(&haft, "haft policy check wri"), ["write"]);
    assert_eq!(in_bash(&haft, "haft trust reset gre"), ["grep"]);
    let parameters = in_bash(&haft, "haft call read ''");
    assert!(parameters.iter().any(|name| name == "path=") && parameters.iter().all(|name| name.ends_with('=')));
    // What is there already is not offered again; bash breaks words at `=`.
    let more = in_bash(&haft, "haft call read path = README.md ''");
    assert!(more.iter().any(|name| name == "limit=") && !more.iter().any(|name| name == "path="), "{more:?}");
    assert_eq!(in_bash(&haft, "haft call read li"), ["limit="]);
    // As before.
    assert_eq!(in_bash(&haft, "haft expl"), ["explain"]);
    assert!(in_bash(&haft, "haft call --tr").contains(&"--trust".to_owned()));
    // With the configuration that is named.
    haft.home.file("narrow.toml", "[tools]\nread_only = true\n");
    let narrow = format!("haft --config {} call wr", haft.home.path("narrow.toml").display());
    assert_ne!(in_bash(&haft, &narrow), ["write"]);
}

#[test]
fn fish_and_zsh_complete_them_where_they_are_installed() {
    let haft = Haft::new();
    let fish =
        |line: &str| ran(&haft, "fish", &["-c", &format!("haft completions fish | source; complete -C '{line}'")]);
    if let Some(names) = fish("haft call rea") {
        assert!(names.contains(&"read".to_owned()) && names.contains(&"read_overflow".to_owned()), "{names:?}");
        assert!(fish("haft call read li").unwrap().contains(&"limit=".to_owned()));
    }
    let zsh = |words: &str| {
        let script = format!(
            "compdef() {{ }}; compadd() {{ print -l -- \"$@\" }}\nhaft completions zsh > $HOME/_haft; source $HOME/_haft\n\
             words=({words}); CURRENT=$#words; _haft"
        );
        ran(&haft, "zsh", &["-fc", &script])
    };
    if let Some(names) = zsh("haft call rea") {
        assert!(names.contains(&"read".to_owned()) && names.contains(&"read_overflow".to_owned()), "{names:?}");
        assert!(zsh("haft call read li").unwrap().contains(&"limit=".to_owned()));
    }
}
