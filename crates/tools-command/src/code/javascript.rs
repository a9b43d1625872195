//! Signs in JavaScript and TypeScript.

use super::text::{first, pattern};

pattern!(
    SIGNS,
    r"(?x)\b(child_process|exec|execSync|execFile\w*|spawn\w*|fork|eval|Function|vm|net|http|https|http2|dgram|tls|dns|fetch|WebSocket
    |worker_threads|cluster|rmSync|f?truncateSync|renameSync|(fs|promises)\s*\.\s*(f?truncate|rename)|unlink\w*|rmdir\w*|rm|process\s*\.\s*(kill|binding|dlopen|mainModule|getBuiltinModule)
    |getBuiltinModule|import|Bun|Deno|constructor|Reflect|Proxy|globalThis|atob|_load|createRequire|inspector|repl|runInContext
    |runInThisContext|runInNewContext|wasi|WebAssembly)\b
    |require\s*\(\s*[^'\x22)]|require\s*\(\s*['\x22][^'\x22]*['\x22]\s*[^\s)]|\[\s*['\x22]|\b(process|module|require|global|this)\s*\["
);
pattern!(PLAIN, r#"^\s*console\s*\.\s*(log|error|info)\s*\(\s*('[^'\\]*'|"[^"\\]*")\s*\)\s*;?\s*$"#);

/// A sign in the code. Quoted text is data, unless it names a module to load.
pub(super) fn sign(code: &str) -> Option<&str> {
    if PLAIN.is_match(code) { None } else { first(&SIGNS, code) }
}
