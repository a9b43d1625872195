//! Signs in Ruby.

use super::text::{first, pattern};

pattern!(
    SIGNS,
    r"(?x)`|%x|\b(system|sh|exec|spawn|fork|popen\w*|Open3|eval|instance_eval|class_eval|module_eval|send|__send__|public_send|syscall
    |Socket|TCPSocket|TCPServer|UDPSocket|socket|Net|open-uri|URI|FileUtils|unlink|delete|rm_rf|rm_r|Process|Kernel|PTY|Fiddle|open
    |load|const_get|define_method|instance_method|binding|Marshal|ObjectSpace|RubyVM|Shellwords|drb|DRb|webrick|WEBrick|un)\b|\bIO\.|method\("
);

pub(super) fn sign(code: &str) -> Option<&str> {
    first(&SIGNS, code)
}

#[cfg(test)]
mod tests {
    use super::sign;

    #[test]
    fn signs_are_told_from_everyday_code() {
        for code in ["`id`", "system 'x'", "sh 'id'", "%x(id)", "Kernel.send(:x)", "IO.popen('x')"] {
            assert!(sign(code).is_some(), "{code}");
        }
        for code in ["puts 1+1", "puts JSON.parse(File.read('a.json'))['v']", "p [1, 2].map { |x| x * 2 }"] {
            assert_eq!(sign(code), None, "{code}");
        }
    }
}
