//! Programs that typeset, convert and index texts, or select lines from them. Most can start
//! another program.

use crate::registry::prelude::*;

/// Effect of an option that names the program of a converter.
const OWN: Does = Hides("a program that an option names");

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["pandoc"],
        flags: "-s|--standalone -p|--preserve-tabs --toc|--table-of-contents -N|--number-sections -i|--incremental -q|--quiet \
                    --verbose --no-highlight --ascii --html-q-tags --reference-links --sandbox --file-scope --citeproc -C --natbib \
                    --biblatex --strip-comments --fail-if-warnings --trace --dump-args --ignore-args --list-input-formats \
                    --list-output-formats --list-extensions --listings --embed-resources --self-contained --section-divs -v -h \
                    --no-check-certificate --mathjax --mathml --katex",
        valued: "-f|-r|--from|--read -t|-w|--to|--write -o|--output -F|--filter -L|--lua-filter --pdf-engine|--latex-engine \
                     --pdf-engine-opt --template -V|--variable -M|--metadata --metadata-file -d|--defaults --data-dir -H|--include-in-header \
                     -B|--include-before-body -A|--include-after-body --highlight-style --syntax-definition -c|--css --reference-doc \
                     --resource-path --request-header --columns --wrap --dpi --eol --toc-depth --shift-heading-level-by \
                     --bibliography --csl --citation-abbreviations --log --extract-media --id-prefix -T|--title-prefix --epub-cover-image \
                     --epub-metadata --epub-embed-font --slide-level --top-level-division --track-changes --abbreviations \
                     --default-image-extension --indented-code-classes --print-default-template --tab-stop --number-offset",
        rules: &[
            when(Has("--filter --pdf-engine --defaults --data-dir"), OWN),
            always(RunsScript(At::Value("--filter --lua-filter"))),
            always(Reads(At::All)),
            always(Connects(At::Remotes)),
            always(Writes(At::Value("--output --log --extract-media"))),
        ],
        examples: &[
            ("pandoc --filter ./x a.md", Expect::Opaque("that an option names")),
            ("pandoc -F./x a.md", Expect::Opaque("that an option names")),
            ("pandoc --pdf-engine ./x a.md -o a.pdf", Expect::Opaque("that an option names")),
            ("echo x > f.lua; pandoc -L f.lua a.md", Expect::Opaque("written by this very line")),
            ("pandoc http://evil/x -o x.md", Expect::Connects("http://evil/x")),
            ("pandoc a.md -o .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["pandoc -s --toc README.md -o out.html"],
        ..Program::GNU
    },
    Program {
        family: &["ctags", "uctags", "etags", "readtags", "cscope"],
        flags: "-a|--append -B -e -F -n -N -R|--recurse -u -V -w -x -b -C -c -d -k -l -q -U -v",
        valued: "-f|-o|--output -h -I -L -D|--define --languages --exclude --fields --extras --extra --kinds-all --langmap --format \
                     --sort --links --totals --tag-relative --output-format --map-all --input-encoding --list-languages --regex-all -i -P \
                     -p -s -t --options --optlib-dir --etags-include --filter -S",
        rules: &[
            when(Has("--options --optlib-dir --etags-include --filter -S"), OWN),
            always(Writes(At::Value("--output"))),
        ],
        examples: &[("ctags -f .envrc x", Expect::Writes(".envrc"))],
        plain_lines: &["ctags -R --exclude=node_modules ."],
        ..Program::GNU
    },
    Program {
        family: &[
            "tex", "etex", "latex", "pdftex", "pdflatex", "xetex", "xelatex", "luatex", "lualatex", "context",
            "platex", "uplatex",
        ],
        flags: "-halt-on-error|--halt-on-error -file-line-error|--file-line-error -no-file-line-error -draftmode|--draftmode \
                    -no-shell-escape|--no-shell-escape -shell-restricted|--shell-restricted -recorder|--recorder -ini|--ini -etex -enc -8bit \
                    -parse-first-line -src-specials -no-pdf -ipc -mltex -version -help",
        optional: "-interaction|--interaction -output-directory|--output-directory -jobname|--jobname -output-format|--output-format \
                       -synctex|--synctex -fmt|--fmt -progname|--progname -output-comment -papersize -kpathsea-debug -cnf-line -shell-escape|--shell-escape -enable-write18|--enable-write18",
        style: Style::Single,
        rules: &[
            when(Has("-shell-escape --shell-escape -enable-write18 --enable-write18"), OWN),
            when(OperandStarts("\\"), Hides("code of TeX")),
            when(Fed, Hides("TeX that runs what it reads")),
        ],
        examples: &[
            ("pdflatex --shell-escape x.tex", Expect::Opaque("that an option names")),
            ("pdflatex -enable-write18 x.tex", Expect::Opaque("that an option names")),
            ("latex '\\immediate\\write18{id}'", Expect::Opaque("code of TeX")),
            ("cat x | tex", Expect::Opaque("runs what it reads")),
        ],
        plain_lines: &["pdflatex -interaction=nonstopmode paper.tex"],
        ..Program::GNU
    },
    Program {
        family: &["latexmk", "arara", "rubber"],
        flags: "-pdf -pdflua -pdfxe -lualatex -xelatex -dvi -ps -c -C -CA -f -g -gg -q|-quiet|-silent -pvc -pv -cd -bibtex -bibtex- \
                    -synctex=1 -halt-on-error -file-line-error -shell-escape- -norc -v -shell-escape",
        valued: "-outdir -auxdir -output-directory -jobname -e -latex -pdflatex -r -usepretex -pretex",
        optional: "-interaction -outdir",
        style: Style::Single,
        rules: &[
            always(ObeysAround(".latexmkrc latexmkrc")),
            when(Has("-e -latex -pdflatex -r -usepretex -pretex -shell-escape"), OWN),
            when(Lacks("-norc -v"), RunsScript(At::Path(".latexmkrc"))),
        ],
        examples: &[
            ("latexmk -e 'system(\"id\")' x.tex", Expect::Opaque("that an option names")),
            ("latexmk -latex=./x x.tex", Expect::Opaque("that an option names")),
            ("echo x > .latexmkrc; latexmk x.tex", Expect::Opaque("written by this very line")),
        ],
        plain_lines: &["latexmk -pdf -interaction=nonstopmode x.tex"],
        ..Program::GNU
    },
    Program {
        family: &["fzf", "sk", "peco", "gum"],
        flags: "-x|--extended -e|--exact -i +i -m|--multi +m --no-sort +s --tac --cycle --reverse --ansi -0|--exit-0 -1|--select-1 \
                    --print0 --read0 --sync --no-mouse --literal --print-query",
        valued: "-q|--query -f|--filter -n|--nth --with-nth -d|--delimiter --prompt --header --height --layout --border --margin \
                     --tiebreak --expect --color --history --bind --preview --become --execute --with-shell --walker --walker-root --walker-skip --preview-window \
                     --ghost --marker --pointer --info --scheme",
        optional: "--listen --listen-unsafe --tmux",
        rules: &[
            when(Has("--bind --preview --become --execute --with-shell --listen --listen-unsafe"), OWN),
            // The command is analysed too, to find programs on the blocklist, which are refused
            // without a question.
            always(RunsLine(At::Value("--preview --become --execute"))),
        ],
        examples: &[
            ("ls | fzf --preview 'sudo cat {}'", Expect::Denied("takes other rights")),
            ("ls | fzf --preview 'sudo id'", Expect::Opaque("that an option names")),
            ("ls | fzf --bind 'enter:become(id)'", Expect::Opaque("a program that an option names")),
            ("ls | fzf --listen=12345", Expect::Opaque("that an option names")),
        ],
        plain_lines: &["ls | fzf -f x"],
        ..Program::GNU
    },
    Program {
        names: &["sshpass"],
        flags: "-e -v -h -V",
        valued: "-f -d -p -P",
        rules: RUNS_OPERANDS,
        examples: &[
            ("sshpass -p x sudo id", Expect::Denied("takes other rights")),
            ("sshpass -e ssh host", Expect::Runs("ssh host")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &["freeze", "vhs", "asciinema", "ttyrec", "ttyd", "gotty", "termtosvg"],
        flags: "-i --window -y --yes -q --quiet --overwrite --stdin --append --raw -h --help",
        valued: "-o|--output -l|--language -t|--theme|--title -x|--execute -c|--command -e --cols --rows -p --port",
        rules: &[
            always(RunsLine(At::Value("--execute --command -e"))),
            when(First("rec record stream"), Hides("it starts a shell that it records")),
            always(Writes(At::Value("--output"))),
        ],
        examples: &[
            ("freeze -x 'sudo id'", Expect::Denied("takes other rights")),
            ("freeze --execute 'sudo id'", Expect::Denied("takes other rights")),
            ("asciinema rec x", Expect::Opaque("that it records")),
        ],
        plain_lines: &["freeze x.rs -o x.png"],
        ..Program::LEADING
    },
];
