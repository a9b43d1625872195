//! Definitions in each language, and misleading texts.

use std::time::Duration;

use super::*;
use crate::languages::{all, form_of};

fn found(file: &str, text: &str) -> Vec<String> {
    let language = form_of(std::path::Path::new(file)).unwrap().language().unwrap();
    let parsed = parse_within(text.as_bytes(), language, Duration::from_mins(1));
    assert!(!parsed.gave_up);
    parsed.symbols.iter().map(|symbol| format!("{} {} {}", symbol.line + 1, symbol.kind, symbol.name)).collect()
}

#[test]
fn every_query_fits_its_grammar() {
    for language in all() {
        assert!(language.compiled().is_some(), "{}", language.name);
        let captures = &language.compiled().unwrap().captures;
        assert!(!captures.contains(&Capture::Other), "{}: {captures:?}", language.name);
    }
}

#[test]
fn definitions_of_each_language() {
    let check = |file: &str, text: &str, expected: &[&str]| assert_eq!(found(file, text), expected, "{file}");
    check(
        "a.rs",
        "/// Doc.\npub struct A(u8);\nenum B { C }\nimpl A {\n    const K: u8 = 1;\n    fn m(&self) {}\n}\nmacro_rules! mac { () => {} }\ntrait T { type X; fn r(); }\n",
        &[
            "2 struct A",
            "3 enum B",
            "3 variant C",
            "4 impl A",
            "5 constant K",
            "6 function m",
            "8 macro mac",
            "9 trait T",
            "9 type X",
            "9 function r",
        ],
    );
    check(
        "a.py",
        "LIMIT = 3\n@decorated\nclass A(B):\n    size = 1\n    async def m(self):\n        pass\ndef f(): pass\n",
        &["1 variable LIMIT", "3 class A", "4 variable size", "5 function m", "7 function f"],
    );
    check(
        "a.js",
        "export const k = 1;\nexport default class A { #p() {} m() {} }\nconst f = async () => { const inner = 1; };\nmodule.exports.g = function () {};\nfunction* h() {}\n",
        &["1 variable k", "2 class A", "2 method #p", "2 method m", "3 function f", "4 function g", "5 function h"],
    );
    check(
        "a.ts",
        "export interface A { m(): void }\ntype B = string;\nenum C { D }\nabstract class E<T> { abstract f(): T; g = () => 1; }\nnamespace N { export function h(): void {} }\n",
        &[
            "1 interface A",
            "1 declaration m",
            "2 type B",
            "3 enum C",
            "4 class E",
            "4 declaration f",
            "4 function g",
            "5 module N",
            "5 function h",
        ],
    );
    check("a.tsx", "export function App(): JSX.Element { return <div/>; }\n", &["1 function App"]);
    check(
        "a.go",
        "package p\nconst K = 1\nvar v int\ntype S struct { f int }\ntype I interface { M() }\nfunc F() {}\nfunc (s *S) M() {}\n",
        &["2 constant K", "3 variable v", "4 type S", "5 type I", "5 declaration M", "6 function F", "7 method M"],
    );
    check(
        "A.java",
        "package p;\npublic class A extends B {\n  private int n = 1;\n  A() {}\n  @Override\n  public void m() {}\n}\ninterface I {}\nenum E { X }\nrecord R(int a) {}\n",
        &[
            "2 class A",
            "3 variable n",
            "4 method A",
            "6 method m",
            "8 interface I",
            "9 enum E",
            "9 variant X",
            "10 class R",
        ],
    );
    check(
        "a.c",
        "#define MAX 3\nstruct s { int a; };\ntypedef struct s s_t;\nstatic char *f(int a);\nchar *f(int a) { return 0; }\nenum e { ONE };\nint counter = 1;\n",
        &[
            "1 macro MAX",
            "2 struct s",
            "3 type s_t",
            "4 declaration f",
            "5 function f",
            "6 enum e",
            "6 variant ONE",
            "7 variable counter",
        ],
    );
    check(
        "a.cpp",
        "namespace n {\nclass A : B { void m(); int k() { return 1; } };\n}\nvoid n::A::m() {}\ntemplate <class T> T id(T t) { return t; }\nusing U = int;\n",
        &["1 module n", "2 class A", "2 declaration m", "2 function k", "4 function m", "5 function id", "6 type U"],
    );
    check(
        "a.sh",
        "LIMIT=3\nfunction f { :; }\ng() { local x=1; }\n",
        &["1 variable LIMIT", "2 function f", "3 function g"],
    );
}

#[test]
fn heads_and_the_lines_above_belong_to_definitions() {
    let language = form_of(std::path::Path::new("a.rs")).unwrap().language().unwrap();
    let text =
        b"use x;\n\n/// Says hello.\n#[inline]\npub fn hello(\n    name: &str,\n) -> String {\n    name.into()\n}\n";
    let symbol = parse(text, language).symbols.remove(0);
    assert_eq!((symbol.lead, symbol.start, symbol.line, symbol.end), (2, 4, 4, 8));
    assert_eq!(&*symbol.signature, "pub fn hello( name: &str, ) -> String");
    let text = b"export default function page() { return 1 }\n";
    let language = form_of(std::path::Path::new("a.js")).unwrap().language().unwrap();
    assert_eq!(&*parse(text, language).symbols[0].signature, "export default function page()");
}

#[test]
fn comments_and_strings_are_told_apart() {
    let language = form_of(std::path::Path::new("a.rs")).unwrap().language().unwrap();
    let text = b"// name\nfn name() { \"name\"; name() }\n";
    let quiet = parse(text, language).quiet;
    let quiet: Vec<_> = quiet.iter().map(|range| &text[range.start as usize..range.end as usize]).collect();
    assert_eq!(quiet, [b"// name".as_slice(), b"\"name\""]);
}

#[test]
fn a_text_that_takes_too_long_or_is_no_text_defines_nothing() {
    for language in all() {
        let others = ["!", "if a then ", "if (a) ", "<a>"].iter().filter(|_| ["bash", "tsx"].contains(&language.name));
        for nested in others.chain(&["([{"]) {
            assert!(parse(nested.repeat(60_000).as_bytes(), language).symbols.len() < 100);
        }
        let noise: Vec<u8> = (0..60_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0]).collect();
        parse(&noise, language);
        let parsed = parse_within("fn a() {}\n".repeat(100_000).as_bytes(), language, Duration::ZERO);
        assert!(parsed.gave_up && parsed.symbols.is_empty());
    }
}
