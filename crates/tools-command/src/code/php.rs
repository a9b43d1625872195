//! Signs in PHP.

use super::text::{first, pattern};

pattern!(
    SIGNS,
    r"(?x)`|\b(system|exec|shell_exec|passthru|popen|proc_open|pcntl_\w+|eval|assert|create_function|call_user_func\w*|fsockopen
    |stream_socket\w*|socket_\w+|curl_\w+|unlink|rmdir|include\w*|require\w*|base64_decode|mail|dl|array_map|array_filter|usort
    |array_walk|preg_replace_callback|register_shutdown_function|ReflectionFunction|FFI|putenv|ini_set)\b|https?://|\$\w+\s*\(|\)\s*\(|\]\s*\("
);

pub(super) fn sign(code: &str) -> Option<&str> {
    first(&SIGNS, code)
}

#[cfg(test)]
mod tests {
    use super::sign;

    #[test]
    fn signs_are_told_from_everyday_code() {
        for code in ["system('id');", "`id`", "$f('id');", "('sys'.'tem')('id');"] {
            assert!(sign(code).is_some(), "{code}");
        }
        for code in ["echo 1 + 1;", "echo PHP_VERSION;", "print_r(json_decode('[1]'));"] {
            assert_eq!(sign(code), None, "{code}");
        }
    }
}
