//! Signs in Ruby.

use super::text::pattern;

pattern!(
    pub(super) SIGNS,
    r"(?x)`|%x|\b(system|sh|exec|spawn|fork|popen\w*|Open3|eval|instance_eval|class_eval|module_eval|send|__send__|public_send|syscall
    |Socket|TCPSocket|TCPServer|UDPSocket|socket|Net|open-uri|URI|FileUtils|unlink|delete|rmdir|File\s*\.\s*(truncate|rename)|rm_rf|rm_r|Process|Kernel|PTY|Fiddle|open
    |load|const_get|define_method|instance_method|binding|Marshal|ObjectSpace|RubyVM|Shellwords|drb|DRb|webrick|WEBrick|un)\b|\bIO\.|method\("
);
