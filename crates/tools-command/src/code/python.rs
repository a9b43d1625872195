//! Signs in Python.

use super::text::{first, pattern, without_strings};

pattern!(
    SIGNS,
    r"(?x)\b(os\s*\.\s*(system|popen|exec\w*|spawn\w*|posix_spawn\w*|fork\w*|remove|unlink|rmdir|removedirs|kill\w*|renames?|replace|truncate|chmod|_exit)
    |subprocess|pty|popen|commands|__import__|importlib|exec|exec[lv]\w*|spawn[lv]\w*|posix_spawn\w*|eval|compile|getattr|globals
    |locals|vars|__dict__|__getattribute__|__builtins__|__subclasses__|__globals__|__loader__|__spec__|attrgetter|methodcaller
    |builtins|ctypes|cffi|socket\w*|socketserver|urllib\w*|http\.client|http\.server|requests|httpx|aiohttp|ftplib|smtplib
    |telnetlib|paramiko|asyncio\.(create_subprocess|open_connection)\w*|create_subprocess\w*|shutil\s*\.\s*(rmtree|move)|rmtree|extractall|unpack_archive
    |multiprocessing|concurrent|ProcessPoolExecutor|base64|codecs|marshal|pickle|shelve|runpy|runpath|webbrowser|posix
    |_posixsubprocess|fork|system|execfile|load_extension|sys\s*\.\s*(modules|meta_path|path_hooks|settrace|setprofile)|_getframe)\b
    |\.\s*(unlink|rmdir)\s*\(
    |from\s+os\s+import|import\s+os\s+as
    |\b(import|from)\s[\w.,\s]*\b(timeit|cProfile|profile|bdb|pdb|doctest|trace|code|codeop|imp|zipimport|pkgutil|pydoc|idlelib
    |distutils|ensurepip|gc|pexpect|sh|plumbum|fabric|invoke)\b"
);
pattern!(NOT_ASCII, r"[^\x00-\x7f]+");

pub(super) fn sign(code: &str) -> Option<&str> {
    // Python reads a name with non-ASCII letters as its plain form.
    let is_odd = NOT_ASCII.is_match(&without_strings(code));
    let plain = code.replace("re.compile", "re.------");
    let found = first(&SIGNS, &plain).and_then(|sign| plain.find(sign)).map(|at| at.min(code.len()));
    let found = found.map(|at| first(&SIGNS, &code[at..]).unwrap_or(&code[at..]));
    found.or_else(|| first(&NOT_ASCII, code).filter(|_| is_odd))
}
