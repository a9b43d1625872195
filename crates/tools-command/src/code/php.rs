//! Signs in PHP.

use super::text::pattern;

pattern!(
    pub(super) SIGNS,
    r"(?x)`|\b(system|exec|shell_exec|passthru|popen|proc_open|pcntl_\w+|eval|assert|create_function|call_user_func\w*|fsockopen
    |stream_socket\w*|socket_\w+|curl_\w+|unlink|rmdir|rename|ftruncate|include\w*|require\w*|base64_decode|mail|dl|array_map|array_filter|usort
    |array_walk|preg_replace_callback|register_shutdown_function|ReflectionFunction|FFI|putenv|ini_set)\b|https?://|\$\w+\s*\(|\)\s*\(|\]\s*\("
);
