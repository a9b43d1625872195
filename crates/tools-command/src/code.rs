//! Signs that a piece of code in another language starts programs, opens connections or deletes. Not a parser: what looks
//! harmless runs under the sandbox like everything else, what shows a sign is asked about.

use std::sync::LazyLock;

use regex::Regex;

/// Languages whose interpreters take code by an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Python.
    Python,
    /// Perl.
    Perl,
    /// Ruby.
    Ruby,
    /// JavaScript and TypeScript.
    Node,
    /// Lua.
    Lua,
    /// PHP.
    Php,
    /// AWK.
    Awk,
    /// The scripts of `sed`.
    Sed,
}

macro_rules! pattern {
    ($name:ident, $pattern:literal) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("the pattern is a constant"));
    };
}

pattern!(
    PYTHON,
    r"(?x)\b(os\s*\.\s*(system|popen|exec\w*|spawn\w*|posix_spawn\w*|fork\w*|remove|unlink|rmdir|removedirs|kill\w*|rename|chmod)
    |subprocess|pty|popen|commands|__import__|importlib|exec|eval|compile|getattr|globals|locals|vars|__dict__|__getattribute__|attrgetter|methodcaller|builtins|__builtins__|ctypes|cffi|socket\w*
    |urllib\w*|http\.client|requests|httpx|aiohttp|ftplib|smtplib|telnetlib|paramiko|asyncio\.(create_subprocess|open_connection)\w*
    |shutil\s*\.\s*(rmtree|move)|rmtree|multiprocessing|base64|codecs|marshal|pickle|runpy|webbrowser|posix|_posixsubprocess|fork|system)\b
    |from\s+os\s+import|import\s+os\s+as"
);
pattern!(
    PERL,
    r"(?x)`|\b(system|exec|fork|qx|readpipe|syscall|eval|unlink|rmtree|rmdir|kill|require|do)\b|\bsocket\b|Socket|IPC::|LWP|HTTP::|Net::
    |open\s*\(?[^;]*\||\|\s*-?['\x22]|pack\s*\(|/e[a-z]*\b|\be\s*;"
);
pattern!(
    RUBY,
    r"(?x)`|%x|\b(system|exec|spawn|fork|popen\w*|Open3|eval|instance_eval|class_eval|send|__send__|public_send|syscall|Socket|TCPSocket
    |UDPSocket|socket|Net|open-uri|URI|FileUtils|unlink|delete|rm_rf|rm_r|Process|Kernel|PTY|Fiddle|open)\b|\bIO\.|method\("
);
pattern!(
    NODE,
    r"(?x)\b(child_process|exec|execSync|execFile\w*|spawn\w*|fork|eval|Function|vm|net|http|https|http2|dgram|tls|dns|fetch|WebSocket|worker_threads
    |cluster|rmSync|unlink\w*|rmdir\w*|rm|process\s*\.\s*(kill|binding|dlopen|mainModule)|import|Bun|Deno|constructor|Reflect|globalThis|atob)\b
    |require\s*\(\s*[^'\x22)]|\[\s*['\x22]"
);
pattern!(
    LUA,
    r"\b(os\s*\.\s*(execute|remove|rename)|io\s*\.\s*popen|load\w*|dofile|require|package|debug|ffi|socket)\b|os\s*\["
);
pattern!(
    PHP,
    r"(?x)`|\b(system|exec|shell_exec|passthru|popen|proc_open|pcntl_\w+|eval|assert|create_function|call_user_func\w*|fsockopen|stream_socket\w*
    |socket_\w+|curl_\w+|unlink|rmdir|include\w*|require\w*|base64_decode|mail|dl)\b|https?://|\$\w+\s*\("
);
pattern!(AWK, r"\bsystem\s*\(|\|\s*getline|\|\s*&|\bprintf?\b[^|;}]*\||getline\s*<|/inet|@load|@include");

/// A sentence about the sign, when the code shows one.
pub(crate) fn suspicion(language: Language, code: &str) -> Option<String> {
    let found = match language {
        Language::Python => PYTHON.find(code),
        Language::Perl => PERL.find(code),
        Language::Ruby => RUBY.find(code),
        Language::Node => node(code),
        Language::Lua => LUA.find(code),
        Language::Php => PHP.find(code),
        Language::Awk => AWK.find(code),
        Language::Sed => {
            return sed_runs_commands(code).then(|| "a `sed` script that runs commands".to_owned());
        }
    };
    found.map(|sign| format!("code with `{}`", sign.as_str().trim()))
}

/// Text in quotes is data for the signs of this language, unless it is a module to load.
fn node(code: &str) -> Option<regex::Match<'_>> {
    static PLAIN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"^\s*console\s*\.\s*(log|error|info)\s*\(\s*('[^'\\]*'|"[^"\\]*")\s*\)\s*;?\s*$"#)
            .expect("the pattern is a constant")
    });
    if PLAIN.is_match(code) { None } else { NODE.find(code) }
}

/// Whether a `sed` script has an `e` or `w` command or flag.
fn sed_runs_commands(script: &str) -> bool {
    let text: Vec<char> = script.chars().collect();
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            '/' => at = after_delimited(&text, at + 1, '/'),
            '\\' => {
                let delimiter = text.get(at + 1).copied().unwrap_or('/');
                at = after_delimited(&text, at + 2, delimiter);
            }
            'e' => return true,
            's' | 'y' => {
                let is_substitution = text[at] == 's';
                let delimiter = text.get(at + 1).copied().unwrap_or('/');
                at = after_delimited(&text, at + 2, delimiter);
                at = after_delimited(&text, at, delimiter);
                while is_substitution && at < text.len() && (text[at].is_ascii_alphanumeric()) {
                    if text[at] == 'e' {
                        return true;
                    }
                    if text[at] == 'w' {
                        at = text[at..].iter().position(|c| *c == '\n').map_or(text.len(), |offset| at + offset);
                        break;
                    }
                    at += 1;
                }
            }
            // Text, file names and labels run to the end of the line.
            'a' | 'i' | 'c' | 'r' | 'R' | 'w' | 'W' | '#' | ':' | 'b' | 't' | 'T' => {
                let is_label = matches!(text[at], 'b' | 't' | 'T' | ':');
                at = text[at..]
                    .iter()
                    .position(|c| *c == '\n' || (is_label && matches!(c, ';' | '}')))
                    .map_or(text.len(), |offset| at + offset);
            }
            // Numbers, negation and separators before a command, and commands that do no harm.
            _ => at += 1,
        }
    }
    false
}

fn after_delimited(text: &[char], from: usize, delimiter: char) -> usize {
    let mut at = from;
    let mut in_class = false;
    while at < text.len() {
        match text[at] {
            '\\' => at += 1,
            '[' if !in_class => in_class = true,
            ']' if in_class => in_class = false,
            character if character == delimiter && !in_class => return at + 1,
            _ => {}
        }
        at += 1;
    }
    // An unbalanced class hides the delimiter: look again without classes.
    let mut at = from;
    while at < text.len() {
        match text[at] {
            '\\' => at += 1,
            character if character == delimiter => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sed_scripts_that_run_commands_are_told_from_the_rest() {
        for script in ["1e sudo id", "s/x/sudo id/e", "s/a/b/ge", "/x/e", "1,3 e ls", "s,a,b,e", "p;e id", "$!e id"] {
            assert!(sed_runs_commands(script), "{script}");
        }
        for script in
            ["s/curl/reqwest/g", "1,5p", "/re/d", "s/e/E/", "s|/e|e|g", "y/abc/xyz/", "/end/!d", "$d", "a text e"]
        {
            assert!(!sed_runs_commands(script), "{script}");
        }
    }
}
