//! Pages as generators of documentation, forums and shops write them: what of each is read.

use tools_web::page::{Document, Format, Kind, PATIENCE, readable};

fn text(html: &str) -> String {
    readable(&Document::parse(html, &Kind::Html, PATIENCE), None, Format::Text, PATIENCE).text
}

fn check(html: &str, expected: &str) {
    assert_eq!(text(html), expected, "{html}");
}

#[test]
fn numbers_beside_lines_are_no_code() {
    let code = "```\ndef f(x):\n    return x\n```";
    for html in [
        // Sphinx, MkDocs
        "<table class=highlighttable><tr><td class=linenos><div><pre><span>1</span>\n<span>2</span></pre></div></td>\
         <td class=code><div><pre><span></span>def f(x):\n    return x\n</pre></div></td></tr></table>",
        // Rouge, within a `pre`
        "<pre><code><table><tbody><tr><td class='rouge-gutter gl'><pre class=lineno>1\n2\n</pre></td>\
         <td class=rouge-code><pre>def f(x):\n    return x\n</pre></td></tr></tbody></table></code></pre>",
        // Chroma: the same names on both sides
        "<table><tr><td class=lntd><pre><code><span class=lnt>1\n</span><span class=lnt>2\n</span></code></pre></td>\n\
         <td class=lntd><pre><code>def f(x):\n    return x\n</code></pre></td></tr></table>",
        "<pre><span class=line><span class=ln>1</span><span class=cl>def f(x):\n</span></span>\
         <span class=line><span class=ln>2</span><span class=cl>    return x\n</span></span></pre>",
        "<pre><span style='user-select:none'>1</span>def f(x):\n<span style='user-select:none'>2</span>    return x</pre>",
        // rustdoc, now and before
        "<pre><code><a href=#1 data-nosnippet>1</a>def f(x):\n<a href=#2 data-nosnippet>2</a>    return x</code></pre>",
        "<div><pre class=src-line-numbers><a>1</a>\n<a>2</a>\n</pre></div><pre>def f(x):\n    return x</pre>",
        // GitHub, Gitea
        "<table>\n<tr>\n<td class=blob-num data-line-number=1></td>\n<td class=blob-code>def f(x):</td>\n</tr>\n\
         <tr>\n<td class=blob-num data-line-number=2></td>\n<td class=blob-code>    return x</td>\n</tr>\n</table>",
        "<table><tr><td><span data-line-number=1></span></td><td><code>def f(x):\n</code></td></tr>\
         <tr><td><span data-line-number=2></span></td><td><code>    return x\n</code></td></tr></table>",
        // SyntaxHighlighter, GitLab
        "<table><tr><td class=gutter><div>1</div><div>2</div></td><td>\n<div>\n<div>def f(x):</div>\n\
         <div>    return x</div>\n</div>\n</td></tr></table>",
        "<div class=line-numbers><a>1</a>\n<a>2</a></div><pre><code>def f(x):\n    return x</code></pre>",
    ] {
        check(html, code);
    }
    check("<pre>1\n2\n3</pre>", "```\n1\n2\n3\n```");
    check("<pre class=line-numbers>1: a\n2: b</pre>", "```\n1: a\n2: b\n```");
    check("Line <span class=line-number>12</span> is wrong.", "Line 12 is wrong.");
    check(
        "<table><tr><th>Line<th>Fault<tr><td class=line-number>7<td>unused</table>",
        "| Line | Fault |\n| --- | --- |\n| 7 | unused |",
    );
}

#[test]
fn lines_of_code_are_broken_as_a_browser_breaks_them() {
    let code = "```\na {\n\n  b\n}\n```";
    for html in [
        "<pre>a {\n\n  b\n}</pre>",
        "<pre>a {<br><br>  b<br>}</pre>",
        "<pre><ol><li>a {</li><li></li><li>  b</li><li>}</li></ol></pre>",
        "<pre><div>a {</div><div>\n</div><div>  b</div><div>}</div></pre>",
        "<pre><div>a {\n</div><div>\n</div><div>  b\n</div><div>}</div></pre>",
        "<div style='color:red; white-space: pre'><div>a {</div><br><div>  b</div><div>}</div></div>",
        "<textarea readonly>a {\n\n  b\n}</textarea>",
    ] {
        check(html, code);
    }
    check(
        "<table><tr><td data-line-number=4></td><td><span data-code-marker='-'>  a</span></td></tr>\
         <tr><td data-line-number=4></td><td><span data-code-marker='+'>  b</span></td></tr></table>",
        "```\n-  a\n+  b\n```",
    );
    check(
        "<table><tr><th>a<th>b<tr><td>c<td><pre>if x:\n  y</pre></table>",
        "| a | b |\n| --- | --- |\n| c | `if x:`<br>`  y` |",
    );
}

#[test]
fn a_table_arranges_a_page_or_holds_data() {
    check(
        "<table><tr><td>Menu</td><td><h1>Boats</h1><p>One.</p><p>Two.</p><ul><li>a<li>b</ul></td></tr></table>",
        "Menu\n\n# Boats\n\nOne.\n\nTwo.\n\n- a\n- b",
    );
    check("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>", "a\nb\nc\nd");
    check("<table><tr><td>Note<td>Prime the pump.</table>", "Note\nPrime the pump.");
    check(
        "<table><tr><th colspan=2><h2>Gate</h2><tr><td>level<td>3</table>",
        "| Gate |  |\n| --- | --- |\n| level | 3 |",
    );
    check(
        "<table><tr><th>o<th>f<th>t<tr><td rowspan=3>boat<td>name<td rowspan=2>text<tr><td>port<tr><td>draft<td>number\
         <tr><td>stay<td colspan=2>time</table>",
        "| o | f | t |\n| --- | --- | --- |\n| boat | name | text |\n|  | port |  |\n|  | draft | number |\n| stay | time |  |",
    );
}

#[test]
fn what_stands_above_the_line_is_no_digit_of_what_stands_on_it() {
    check(
        "10<sup>6</sup> J, 10<sup>−6</sup> m, m<sup>2</sup>, 3<sup>rd</sup>, H<sub>2</sub>O",
        "10⁶ J, 10⁻⁶ m, m², 3rd, H2O",
    );
    check("night<sup><a href=#fn1>1</a></sup> and<sup>[2]</sup>", "night¹ and[2]");
    check(
        "<math><mi>V</mi><mo>=</mo><mfrac><mn>4</mn><mn>3</mn></mfrac><msup><mi>r</mi><mn>3</mn></msup></math>",
        "V=4/3r^3",
    );
    check(
        "<math><msub><mi>x</mi><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msub><mo>=</mo><msqrt><mn>2</mn><mi>g</mi>\
         </msqrt><annotation encoding=application/x-tex>UNSEEN</annotation></math>",
        "x_(i+1)=√(2g)",
    );
    check("It costs <del>$20</del> <ins>$10</ins>, <q>they</q> say.", "It costs ~~$20~~ $10, \"they\" say.");
    check("<ol type=a><li>x<li>y<ol type=i start=4><li>z</ol></ol>", "a. x\nb. y\n   iv. z");
}

#[test]
fn what_a_click_opens_is_read_and_what_only_leads_about_is_not() {
    check("<h2><button aria-expanded=false>Why?</button></h2><div>Because.</div>", "## Why?\n\nBecause.");
    check("<dl><dt><button>Why?</button><dd>Because.</dl>", "Why?\n  Because.");
    check("<button><b>404</b><p>No such page</p></button><button>Send</button>", "404\n\nNo such page");
    check("<main><h1>Struct A <button>Copy path</button></h1>x<button>Run</button></main>", "# Struct A\n\nx");
    check("<button aria-expanded=false>Menu</button><p>x", "x");
    check(
        "<div role=tabpanel>apt</div><div role=tabpanel hidden>dnf</div><p hidden=until-found>more</p><p hidden>UNSEEN",
        "apt\ndnf\n\nmore",
    );
    check(
        "<h2>Stop<a href=#stop>¶</a></h2><p>x <a href=#ref>↩︎</a></p><p><a href=#r>see there</a>",
        "## Stop\n\nx\n\nsee there",
    );
    check("<a class=skip-link href=#c>Skip to content</a><p>x <a href=#xor><code>^</code></a>", "x `^`");
    check("<h2>A<span class=mw-editsection>[<a href=/e>edit</a>]</span></h2>x", "## A\n\nx");
    check("<p><img aria-hidden=true alt='E=mc^2'> holds", "[image: E=mc^2] holds");
    check(
        "<frameset><frame src=menu.html name=menu><frame src=text.html></frameset>",
        "[menu](menu.html)\n[frame](text.html)",
    );
}

#[test]
fn names_that_speak_of_cookies_hide_no_page() {
    let notice =
        "<div id=CookieConsent>NOTICE</div><div class=js-cookieNotice>NOTICE</div><div class=OUTBRAIN>AD</div>";
    let page = "<section id=ads><h2 id=cookie-banner>Ads</h2><p>About them.</p></section>";
    check(&[notice, page].concat(), "## Ads\n\nAbout them.");
    check("<body class='ads cookie-banner-open'><main class=cookie-notice><h1>Law</h1>Text.</main>", "# Law\n\nText.");
    check("<body class=has-cookie-notice><p>Text.", "Text.");
    assert!(text(&format!("<div class=cookie-notice-seen>{}</div>", "<p>Text.".repeat(600))).contains("Text."));
    check("<div class=sect1 id=cookie-notice><h2>Notice</h2>Text.</div>", "## Notice\n\nText.");
}

#[test]
fn a_short_page_is_its_main_element_too() {
    check("<header>Brand</header><main><p>All that this page says.</p></main>", "All that this page says.");
    check("<div>Brand</div><div role=main><p>All that this page says.</p></div>", "All that this page says.");
    check("<p>Brand</p><article role=main><p>All that this page says.</p></article>", "All that this page says.");
    check("<main></main><p>Text beside it.</p>", "Text beside it.");
}

#[test]
fn what_a_server_sends_late_is_read_where_it_belongs() {
    check(
        "<h1>A</h1><!--$?--><template id=B:0></template><p>Loading</p><!--/$--><p>End</p>\
         <div hidden id=S:0><ul><li>one</ul><!--$?--><template id=B:1></template>Wait<!--/$--></div>\
         <div hidden id=S:1><p>two</p></div>",
        "# A\n\n- one\n\ntwo\n\nEnd",
    );
    check("<p>x</p><div hidden id=S:7>UNSEEN</div>", "x");
    check("<p>x</p><div hidden id=S:0>UNSEEN<template id=B:0></template></div>", "x");
}
