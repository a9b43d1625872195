//! The languages whose interpreters take code by an option, and what is looked for in each.

use super::named_file::NamedFile;
use super::{awk, ipython, javascript, lua, other, perl, php, python, ruby, sed, text};
use crate::effect::Effect;

/// Languages whose interpreters take code by an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Python.
    Python,
    /// Python with the shell lines of IPython.
    IPython,
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
    /// A language with no known signs: only code that plainly prints a value is harmless.
    Other,
}

/// A sentence about a sign in the code; `None` if there is none.
pub(crate) fn suspicion(language: Language, code: &str) -> Option<String> {
    let sign = match language {
        Language::Awk => return sign(awk::read(code)),
        Language::Sed => return sign(sed::read(code)),
        Language::Python => python::sign(code),
        Language::IPython => ipython::sign(code),
        Language::Perl => perl::sign(code),
        Language::Ruby => text::first(&ruby::SIGNS, code),
        Language::Node => javascript::sign(code),
        Language::Lua => text::first(&lua::SIGNS, code),
        Language::Php => text::first(&php::SIGNS, code),
        Language::Other => other::sign(code),
    };
    let sign = sign.or_else(|| text::hidden_letter(code).filter(|_| language != Language::Other));
    sign.map(|sign| format!("code with `{}`", sign.trim()))
}

fn sign(found: Vec<NamedFile>) -> Option<String> {
    found.into_iter().find_map(|one| if let NamedFile::Sign(sign) = one { Some(sign.to_owned()) } else { None })
}

/// The files that the code names, for languages in which they can be found.
pub(crate) fn files(language: Language, code: &str) -> Vec<Effect> {
    let found = match language {
        Language::Awk => awk::read(code),
        Language::Sed => sed::read(code),
        _ => return Vec::new(),
    };
    let path = |one| match one {
        NamedFile::File { name, access, is_exact } => {
            Some(Effect::path(crate::reader::Value { text: name, is_exact, has_pattern: false }, access))
        }
        NamedFile::Sign(_) => None,
    };
    found.into_iter().filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_told_from_everyday_code() {
        let check = |language, signs: &[&str], plain: &[&str]| {
            for code in signs {
                assert!(suspicion(language, code).is_some(), "{code}");
            }
            for code in plain {
                assert_eq!(suspicion(language, code), None, "{code}");
            }
        };
        check(
            Language::Lua,
            &["os.execute('id')", "io.popen('id')", "os['execute']('id')", "_G.os.x()"],
            &["print(1 + 1)"],
        );
        check(
            Language::Php,
            &["system('id');", "`id`", "$f('id');", "('sys'.'tem')('id');", "rename('a', 'b');"],
            &["echo 1 + 1;", "echo PHP_VERSION;", "print_r(json_decode('[1]'));"],
        );
        check(
            Language::Ruby,
            &[
                "`id`", "system 'x'", "sh 'id'", "%x(id)", "Kernel.send(:x)", "IO.popen('x')", "File.truncate('a', 0)",
                "Dir.rmdir('a')", "File.rename('a', 'b')",
            ],
            &["puts 1+1", "puts JSON.parse(File.read('a.json'))['v']", "p [1, 2].map { |x| x * 2 }"],
        );
        check(
            Language::Node,
            &[
                "require('child_process').execSync('id')", "require('child_'+'process')",
                "require('fs').truncateSync('a')", "require('fs').renameSync('a', 'b')",
                "process.getBuiltinModule('x')", "module['require']('x')", "require(x)",
            ],
            &["console.log(1)", "console.log('exec')", "console.log(require('./package.json').version)"],
        );
        check(
            Language::Other,
            &["run(`id`)", "system('id')", "puts [exec id]", "exec id", "println(read(x))", "print(a); b()"],
            &["println(1 + 1)", "puts \"a b\"", "print('x')", "1+1", "cat(\"a\")"],
        );
        check(
            Language::Python,
            &[
                "import os; os.system('x')", "import os; os.ｓystem('x')",
                "from timeit import timeit; timeit('imp'+'ort os')", "import bdb; bdb.Bdb().run('x')",
                "import json, cProfile; cProfile.run('x')", "import sys; sys.modules['os']", "vars(os)['sys'+'tem']",
                "from pathlib import Path; Path('a').unlink()", "import os; os.replace('a', 'b')",
                "import os; os.truncate('a', 0)", "import zipfile; zipfile.ZipFile('a').extractall('.git')",
            ],
            &[
                "print(1+1)",
                "import json,sys; print(json.load(open('package.json'))['version'])",
                "import re; print(re.compile('a').sub('b', 'c'))",
                "print('é')",
                "import os; print(os.getcwd(), os.path.join('a', 'b'))",
                "code = 1; print(code)",
                "print('a'.replace('a', 'b'))",
            ],
        );
        check(
            Language::IPython,
            &["!git push", "%sx git push", "x = !ls", "x=%sx ls", "1\n%%bash\nls", "import subprocess", "if 1: !ls"],
            &["1 != 2", "print(7 % 2)", "print('100%! %s' % 1)", "import json"],
        );
        check(
            Language::Perl,
            &[
                "system 'x'", "s/x/`id`/e", "s/x/y/ge", "s{x}{y}e", "s|a|b|ee; print", "print if /x(?{ y })/",
                "@ARGV=('x|'); while(<>){}", "&{'sys'.'tem'}('x')", "open F, 'x|'", "truncate 'a', 0",
                "rename 'a', 'b'", "rm_rf",
            ],
            &[
                "print if /x/", "print if /error/", "s/a/b/g", "s/e/E/; print",
                "$h{$1}++ while /x/g; END { print for sort keys %h }", "print $s, $es",
                "print join ',', map { $_*2 } 1..3",
            ],
        );
        check(
            Language::Sed,
            &[
                "1e sudo id", "s/x/sudo id/e", "s/a/b/ge", "/x/e", "1,3 e ls", "s,a,b,e", "p;e id", "$!e id", "v;e id",
                "v 4.2 e", ":x e", "b x e id", r"s\.*\id\e", r"y\a\b\;e id", "s/x/[/;e id #]/", "y/[/x/;e id #]/",
                "s,.*,id #[,e;s,],x,", "/[]/]/p;e", "/[^]/]/p;e", "s/[[:alpha:]/]/x/;e", "s/[[.].]/]/x/;e",
                r"s/[\]/x/;e id #]/", "a\\\n/\ne id", "i\\\ns\ne id", "i\\x\\\ny\ne", "1i\\\n\\,\ne id",
                "a \\\n/\ne id", "a x\\\\\ne id", "s/x/\\\n/;e id", "0~3 e", "1,+2e id", r"\cxcIe id", "s/x/y/ e",
                "s/x/y/w o\ne id", "s/x",
            ],
            &[
                "s/curl/reqwest/g", "1,5p", "/re/d", "s/e/E/", "s|/e|e|g", "y/abc/xyz/", "/end/!d", "$d", "a text e",
                "s/[^/]*$//", "s/[^/]*w/e/", "/[/]e/d", ":a;N;$!ba;s/\\n/ /g", ":a;s/^x/y/;ta", "/x/{s/a/b/;p}",
                "/x/a\\\nexport e\\\n  w e", "/x/i\\  e x", "s,[]/[],e,g # e",
            ],
        );
        check(
            Language::Awk,
            &[
                "BEGIN{x=a++ / 2; print \"/\" | \"id\"; y=1 / 2}", "BEGIN{x=length /=/;print \"y\" | \"id\"} #\"",
                "BEGIN{x=case / 2; print \"/\" | \"id\"; y=1 / 2}", "{if(1) /\"/; print \"x\" | \"id\" #\"\n}",
                "BEGIN{x=/[/\"]/; print \"x\" | \"id\" #\"\n}", "BEGIN{x=0?a:system(\"id\")}",
                "BEGIN{x=1system(\"id\")}", "BEGIN{x=1e5system(\"id\")}",
            ],
            &["{print $1/$2}", "/a|b/{print $NF/NR \"|\" (a)/(b)}", "{n++ / 2}", "BEGIN{x=c?a:b}"],
        );
    }
}
