//! Package managers, environments and publishing tools for Python.

use super::registries;
use crate::reader::Value;
use crate::registry::prelude::*;

/// A subcommand whose operands are another command.
const fn runs(names: &'static str, syntax: Syntax) -> Subcommand {
    command(names, syntax, RUNS_OPERANDS)
}

/// A subcommand that publishes unless it is a dry run.
const fn publishes(names: &'static str) -> Subcommand {
    let syntax = Syntax {
        flags: "--dry-run --build --skip-existing",
        valued: "-r|--repository -u|--username -p|--password -t|--token",
        ..Syntax::EXACT
    };
    command(names, syntax, PUBLISHING)
}

const PUBLISHING: &[Rule] = &[when(Lacks("--dry-run"), PUBLISHES)];

/// Files that decide how a package is built.
pub(super) const BUILT_BY: &str = "setup.py setup.cfg pyproject.toml";
/// Files that other package managers obey.
const PROJECT: &str = "setup.py setup.cfg pyproject.toml pixi.toml Pipfile hatch.toml pdm.toml";
/// Files that `uv` obeys.
const UV_PROJECT: &str = "setup.py setup.cfg pyproject.toml uv.toml";

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["pip", "pip3", "pip3.*", "pip2"],
        flags: "-h|--help --debug --isolated --require-virtualenv -v|-vv|-vvv|--verbose -V|--version -q|-qq|--quiet \
                    --no-input --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning -U|--upgrade \
                    --user --pre --no-deps -I|--ignore-installed --break-system-packages --force-reinstall -y|--yes \
                    --no-index --outdated --uptodate --no-build-isolation --require-hashes --dry-run",
        valued: "--python --log --keyring-provider --proxy --retries --timeout --exists-action --trusted-host --cert \
                     --client-cert --cache-dir --use-feature --use-deprecated --resume-retries -r|--requirement -c|--constraint \
                     -e|--editable -t|--target --platform --python-version --implementation --abi --root --prefix -b|--build \
                     --src -i|--index-url --extra-index-url -f|--find-links --no-binary --only-binary --progress-bar \
                     -C|--config-settings --global-option --install-option --report -d|--dest -w|--wheel-dir --format --path \
                     --editor --upgrade-strategy --root-user-action",
        rules: &[
            always(By(registries::addresses)),
            always(Reads(At::Value("--requirement --constraint"))),
            always(Writes(At::Value("--log --report --target --dest --wheel-dir --root"))),
            when(Has("--python --global-option --install-option"), Hides("`pip` with another interpreter")),
        ],
        subcommands: &[
            ruled(
                "config",
                &[
                    when(First("set unset edit"), Hides("settings of `pip` that decide what is fetched")),
                    when(Has("--editor"), Hides("`pip config` opens an editor")),
                    always(RunsWords(At::Value("--editor"))),
                ],
            ),
            ruled("install wheel download", &[always(ObeysAround(BUILT_BY))]),
            each("uninstall list"),
        ],
        examples: &[
            ("pip config set global.index-url https://host", Expect::Opaque("settings of `pip`")),
            ("pip config --editor sudo edit", Expect::Runs("sudo")),
            ("pip --proxy x config edit", Expect::Opaque("settings of `pip`")),
            ("pip install git+https://host/x", Expect::Connects("git+https://host/x")),
            ("pip install -i https://host/simple x", Expect::Connects("https://host/simple")),
            ("pip install -i host x", Expect::Connects("tcp://host")),
            ("pip list --proxy example.org:80", Expect::Connects("tcp://example.org:80")),
            ("pip install -t x y", Expect::Writes("x")),
            ("pip --odd config edit", Expect::Opaque("`--odd` of `pip`")),
            ("pip install -r requirements.txt", Expect::Reads("requirements.txt")),
            ("pip3 install -U six", Expect::Is("pip install -U six")),
        ],
        plain_lines: &["pip config list", "pip list --outdated", "pip freeze", "pip install -e .[dev]"],
        ..Program::GNU
    },
    Program {
        names: &["uv"],
        flags: "-q|--quiet -v|--verbose --native-tls --no-native-tls --offline --no-offline --no-progress --no-config \
                    -h|--help -V|--version -n|--no-cache --no-python-downloads --managed-python --no-managed-python \
                    --preview --no-preview --isolated --no-color",
        valued: "--cache-dir --python-preference --python-fetch --color --allow-insecure-host --directory --project \
                     --config-file --preview-features -p|--python --index --default-index --index-url --extra-index-url \
                     --find-links",
        folder: "--directory",
        rules: &[
            always(Obeys(UV_PROJECT)),
            always(ObeysIn(At::Value("--project"), UV_PROJECT)),
            always(StartsIn(At::Value("--directory"))),
            when(Has("--config-file"), Hides("`uv` with settings from elsewhere")),
            always(By(registries::addresses)),
        ],
        subcommands: UV,
        plain: "remove sync lock export tree cache version help generate-shell-completion format",
        examples: &[
            ("uv publish", Expect::Asks("publishes")),
            ("uv add git+https://host/x", Expect::Connects("git+https://host/x")),
            ("uv add --default-index example.org x", Expect::Connects("tcp://example.org")),
            ("uv add 'x @ git+https://host/x'", Expect::Connects("git+https://host/x")),
            ("uv init ../x", Expect::Writes("../x")),
            ("uv venv --clear ..", Expect::Asks("empties a folder")),
            ("uv venv --clear src --seed", Expect::Asks("empties a folder")),
            ("uv --directory x publish", Expect::Is("uv publish")),
            ("uv run sudo id", Expect::Runs("sudo id")),
            ("uv run --with x sudo id", Expect::Runs("sudo id")),
            ("uv run -p 3.12 -- sudo id", Expect::Runs("sudo id")),
            ("uv run --odd x sudo id", Expect::Opaque("`--odd` of `uv`")),
            ("uv run -m twine upload x", Expect::Runs("python3 -m twine upload x")),
            ("uv tool run sudo id", Expect::Runs("sudo id")),
            ("uv tool install x", Expect::Asks("outside of the workspace")),
            ("uv python install 3.13", Expect::Asks("outside of the workspace")),
            ("uv pip config edit", Expect::Opaque("settings of `pip`")),
            ("uv self update", Expect::Asks("outside of the workspace")),
            ("uv auth login x", Expect::Asks("accounts or credentials")),
            ("uv auth token x", Expect::Asks("shows credentials")),
            ("uv --config-file x sync", Expect::Opaque("settings from elsewhere")),
        ],
        plain_lines: &[
            "uv venv --clear", "uv venv --clear .venv", "uv publish --dry-run", "uv run pytest -q", "uv sync --frozen",
            "uv add httpx", "uv pip install -r requirements.txt",
        ],
        ..Program::EXACT
    },
    Program {
        names: &["uvx"],
        rules: &[
            when(Has("--config-file"), Hides("`uv` with settings from elsewhere")),
            always(ObeysIn(At::Value("--from --with --with-editable"), BUILT_BY)),
            always(RunsWords(At::From(0))),
        ],
        examples: &[
            ("uvx ruff check", Expect::Runs("ruff check")),
            ("uvx --from x sudo", Expect::Runs("sudo")),
            ("uvx --odd sudo", Expect::Opaque("`--odd` of `uvx`")),
        ],
        ..UVX
    },
    Program {
        names: &["poetry"],
        flags: "-h|--help -q|--quiet -V|--version --ansi --no-ansi -n|--no-interaction --no-plugins --no-cache \
                    -v|-vv|-vvv|--verbose",
        valued: "-P|--project -C|--directory",
        folder: "--directory --project",
        rules: &[
            always(Obeys("setup.py pyproject.toml poetry.toml")),
            always(StartsIn(At::Value("--directory"))),
            always(By(registries::addresses)),
        ],
        subcommands: &[
            publishes("publish"),
            runs("run", Syntax::LEADING),
            command(
                "config",
                Syntax { flags: "--list --unset --local --migrate", ..Syntax::EXACT },
                &[when_all(&[AtLeast(2), Lacks("--list")], Hides("settings of `poetry` that decide what is fetched"))],
            ),
            ruled("self", &[when(First("add remove update install sync lock"), FOR_USER)]),
            ruled("source", &[when(First("add remove"), Hides("a source that decides what is fetched"))]),
            ruled("python", &[when(First("install remove"), FOR_USER)]),
            ruled("new", &[always(Writes(At::Nth(0)))]),
        ],
        plain: "about add build cache check debug env help init install list lock remove search shell show sync update \
                version export",
        examples: &[
            ("poetry publish --build", Expect::Asks("publishes")),
            ("poetry -C x publish", Expect::Is("poetry publish")),
            ("poetry add git+https://host/x", Expect::Connects("git+https://host/x")),
            ("poetry add git+ssh://git@host/x", Expect::Connects("git+ssh://host/x")),
            ("poetry -n run sudo id", Expect::Runs("sudo id")),
            ("poetry config pypi-token.pypi x", Expect::Opaque("settings of `poetry`")),
            ("poetry self add x", Expect::Asks("outside of the workspace")),
            ("poetry --odd publish", Expect::Opaque("`--odd` of `poetry`")),
        ],
        plain_lines: &[
            "poetry publish --dry-run", "poetry publish --build --dry-run", "poetry config virtualenvs.path",
            "poetry install", "poetry run pytest -q",
        ],
        ..Program::EXACT
    },
    Program {
        family: &["pdm", "rye", "hatch", "pixi", "pipenv", "flit"],
        flags: "-h|--help -V|--version -v|-vv|--verbose -q|--quiet -I|--ignore-python --pep582 --no-interactive \
                    --no-color --color --support --where --venv --envs --rm --bare --man --deploy --ignore-pipfile --no-progress",
        valued: "-c|--config -p|--project -e|--env --data-dir --cache-dir --python --pypi-mirror --log-level \
                     -f|--ini-path --manifest-path --color-when --pyproject -L|--lockfile --repository --pypirc",
        folder: "--project",
        rules: &[
            always(Obeys(PROJECT)),
            always(ObeysIn(At::Value("--manifest-path --pyproject"), PROJECT)),
            when(Has("--config"), Hides("a package manager with settings from elsewhere")),
            always(By(registries::addresses)),
        ],
        subcommands: &[
            publishes("publish"),
            publishes("upload"),
            runs(
                "run",
                Syntax {
                    flags: "-s|--site-packages -l|--list -j|--json --locked --frozen --no-install --as-is --clean-env \
                            --recreate --no-self --skip-deps --all",
                    valued: "--env-file -p|--project -e|--environment --manifest-path --venv --with --pyproject",
                    ..Syntax::LEADING
                },
            ),
            group(
                "env",
                &[runs(
                    "run",
                    Syntax {
                        flags: "--force-continue --ignore-compat",
                        valued: "-e|--env -i|--include -x|--exclude -f|--filter",
                        ..Syntax::LEADING
                    },
                )],
            ),
            runs("exec|x", Syntax { valued: "-s|--spec -w|--with -c|--channel -p|--platform", ..Syntax::LEADING }),
            ruled(
                "config",
                &[when_all(
                    &[AtLeast(2), FirstIsNot("list show find get")],
                    Hides("settings of a package manager that decide what is fetched"),
                )],
            ),
            ruled("self", &[when(FirstIsNot("list show report"), FOR_USER)]),
            ruled("global tools tool", &[always(By(tools))]),
            ruled("auth", &[always(IDENTITY)]),
            ruled("python toolchain", &[when(First("install remove update register fetch"), FOR_USER)]),
        ],
        examples: &[
            ("pdm publish", Expect::Asks("publishes")),
            ("pdm -p x publish", Expect::Asks("publishes")),
            ("hatch publish", Expect::Asks("publishes")),
            ("hatch -e x run sudo id", Expect::Runs("sudo id")),
            ("hatch env run -e x sudo id", Expect::Runs("sudo id")),
            ("flit publish", Expect::Asks("publishes")),
            ("rye publish", Expect::Asks("publishes")),
            ("rye run sudo id", Expect::Runs("sudo id")),
            ("rye tools install x", Expect::Asks("outside of the workspace")),
            ("pixi run sudo id", Expect::Runs("sudo id")),
            ("pixi upload https://host x", Expect::Asks("publishes")),
            ("pixi global install x", Expect::Asks("outside of the workspace")),
            ("pixi auth login x", Expect::Asks("accounts")),
            ("pipenv run sudo id", Expect::Runs("sudo id")),
            ("pipenv --odd run sudo id", Expect::Opaque("`--odd` of `pipenv`")),
        ],
        plain_lines: &["hatch run test", "pipenv install --dev", "pdm install"],
        ..Program::EXACT
    },
    Program {
        names: &["pipx"],
        flags: "-h|--help --version -q|--quiet -v|--verbose --global",
        subcommands: &[
            runs(
                "run",
                Syntax {
                    flags: "--no-cache --path --pypackages -q|--quiet -v|--verbose --fetch-missing-python --system-site-packages",
                    valued: "--with --spec --python -i|--index-url --pip-args --editable",
                    ..Syntax::LEADING
                },
            ),
            ruled(
                "install uninstall upgrade inject uninject reinstall upgrade-all uninstall-all reinstall-all \
                 install-all ensurepath interpreter pin unpin upgrade-shared",
                &[always(FOR_USER)],
            ),
            ruled("runpip", &[always(FOR_USER)]),
        ],
        plain: "list environment completions help",
        examples: &[
            ("pipx run sudo id", Expect::Runs("sudo id")),
            ("pipx run --spec x sudo id", Expect::Runs("sudo id")),
            ("pipx install x", Expect::Asks("outside of the workspace")),
        ],
        plain_lines: &["pipx list"],
        ..Program::EXACT
    },
    Program {
        names: &["twine"],
        flags: "-h|--help --version --no-color",
        subcommands: &[publishes("upload"), publishes("register"), each("check")],
        examples: &[
            ("twine upload dist/a.whl", Expect::Asks("publishes")),
            ("twine --no-color upload -r x y", Expect::Asks("publishes")),
        ],
        plain_lines: &["twine check dist/a.whl"],
        ..Program::EXACT
    },
    Program {
        family: &["conda", "mamba", "micromamba", "anaconda"],
        flags: "-h|--help -V|--version -v|--verbose --debug --json -q|--quiet -y|--yes --no-plugins --no-rc --no-env \
                    --show-sources -d|--dry-run",
        valued: "--log-level --rc-file -r|--root-prefix -t|--token -s|--site -n|--name -p|--prefix -c|--channel",
        rules: &[when(Has("--rc-file"), Hides("`conda` with settings from elsewhere"))],
        subcommands: &[
            runs(
                "run",
                Syntax {
                    flags: "-v|--verbose --dev --debug-wrapper-scripts --no-capture-output|--live-stream -i|--interactive \
                            -d|--detach --clean-env",
                    valued: "-n|--name -p|--prefix --cwd -e|--env -a|--attach --label",
                    ..Syntax::LEADING
                },
            ),
            command(
                "config",
                Syntax {
                    flags: "--get --show --show-sources --describe --validate --env --system",
                    valued: "--set --add --append --prepend --remove --remove-key --file",
                    ..Syntax::EXACT
                },
                &[
                    when(Has("--set --add --append --prepend --remove --remove-key"), CONDARC),
                    always(Writes(At::Value("--file"))),
                ],
            ),
            ruled("init deinit shell", &[always(FOR_USER)]),
            ruled("upload login logout copy move label auth groups register", &[always(PUBLISHES)]),
            group("env", &[each("list export create update"), ruled("remove", &[always(REMOVES)])]),
            command("remove|uninstall", Syntax { flags: "--all", ..Syntax::EXACT }, &[when(Has("--all"), REMOVES)]),
        ],
        examples: &[
            ("conda run -n x sudo id", Expect::Runs("sudo id")),
            ("conda run --no-capture-output sudo id", Expect::Runs("sudo id")),
            ("micromamba -n x run sudo id", Expect::Runs("sudo id")),
            ("conda config --add channels x", Expect::Opaque("settings of `conda`")),
            ("conda init bash", Expect::Asks("outside of the workspace")),
            ("anaconda upload x", Expect::Asks("publishes")),
            ("conda env remove -n x", Expect::Asks("an environment")),
            ("conda --odd run sudo", Expect::Opaque("`--odd` of `conda`")),
        ],
        plain_lines: &["conda list", "conda install -y numpy", "conda env list"],
        ..Program::EXACT
    },
    Program {
        family: &["conda-build", "anaconda-client"],
        rules: &[when(Operand("upload"), PUBLISHES)],
        examples: &[("anaconda-client upload x", Expect::Asks("publishes"))],
        plain_lines: &["conda-build x"],
        ..Program::GNU
    },
];

const CONDARC: Does = Hides("settings of `conda` that decide what is fetched");
const REMOVES: Does = Says(Consequence::Destroys, "removes an environment");

/// Options of `uvx` and `uv tool run` before the tool.
const UVX: Program = Program {
    flags: "-q|--quiet -v|--verbose --isolated --no-env-file --no-index --no-build --no-binary --no-build-isolation --refresh \
            -n|--no-cache --offline --no-progress --no-config -h|--help -V|--version -U|--upgrade --reinstall --no-sources \
            --managed-python --no-python-downloads --native-tls --lfs --preview",
    valued: "--from -w|--with --with-editable --with-requirements -c|--constraints -b|--build-constraints --overrides \
             --env-file --index --default-index -i|--index-url --extra-index-url -f|--find-links -P|--upgrade-package \
             --reinstall-package --index-strategy --keyring-provider --resolution --prerelease --fork-strategy --exclude-newer \
             --link-mode -C|--config-setting --no-build-package --no-binary-package --refresh-package --cache-dir -p|--python \
             --color --directory --project --config-file --torch-backend --allow-insecure-host",
    ..Program::LEADING
};

/// Options of `uv run` before the command.
const UV_RUN: Syntax = Syntax {
    flags: "--all-extras --no-dev --only-dev --all-groups --no-default-groups -s|--script --gui-script --isolated \
            --active --no-active --no-editable --exact --no-env-file --no-sync --locked --frozen --all-packages --no-project \
            -q|--quiet -v|--verbose --refresh -n|--no-cache --offline --no-progress --no-config --no-index --no-build \
            --no-binary --no-build-isolation --no-sources -U|--upgrade --reinstall --managed-python --no-python-downloads \
            --dev --no-dev --inexact -h|--help --native-tls --preview",
    valued: "--extra --no-extra --group --no-group --only-group -m|--module --with --with-editable --with-requirements \
             --env-file --package --index --default-index -i|--index-url --extra-index-url -f|--find-links -P|--upgrade-package \
             --reinstall-package --index-strategy --keyring-provider --resolution --prerelease --fork-strategy --exclude-newer \
             --link-mode -C|--config-setting --config-settings-package --no-build-package --no-binary-package \
             --refresh-package --cache-dir -p|--python --color --directory --project --config-file --allow-insecure-host \
             --python-platform -w",
    ..Syntax::LEADING
};

const UV: &[Subcommand] = &[
    ruled("add build", &[always(ObeysAround(UV_PROJECT))]),
    publishes("publish"),
    command(
        "run",
        UV_RUN,
        &[
            when(Lacks("--module --script"), RunsWords(At::From(0))),
            when(Has("--script"), RunsScript(At::Nth(0))),
            when(First("-"), Hides("code that comes in")),
            always(By(module)),
        ],
    ),
    command(
        "venv",
        Syntax { flags: "-c|--clear --seed --allow-existing --system-site-packages --relocatable", ..Syntax::EXACT },
        &[always(Writes(At::Nth(0))), when(Has("--clear"), By(cleared))],
    ),
    ruled("init", &[always(Writes(At::Nth(0)))]),
    command("pip", Syntax::LEADING, &[always(By(pip))]),
    group(
        "tool",
        &[
            command("run", UVX.syntax(), RUNS_OPERANDS),
            each("list dir"),
            ruled("install uninstall upgrade update-shell", &[always(FOR_USER)]),
        ],
    ),
    group("python", &[ruled("install uninstall upgrade update-shell", &[always(FOR_USER)]), each("list find pin dir")]),
    ruled("self", &[when(First("update"), FOR_USER)]),
    group(
        "auth",
        &[
            ruled("login logout", &[always(IDENTITY)]),
            ruled("token helper", &[always(Is(Consequence::ShowsCredentials))]),
        ],
    ),
];

/// `uv pip …` runs `pip …`.
fn pip(parsed: &Parsed<'_>) -> Vec<Effect> {
    let from = parsed.words.last().map_or(0, |at| at + 1);
    let rest = parsed.command.args[from..].iter().cloned();
    vec![Effect::runs(std::iter::once(Value::exact("pip")).chain(rest).collect())]
}

/// `uv run -m MODULE …`: runs the module like `python -m`.
fn module(parsed: &Parsed<'_>) -> Vec<Effect> {
    let words = parsed.behind("--module");
    let python = ["python3", "-m"].map(Value::exact);
    if words.is_empty() { Vec::new() } else { vec![Effect::runs(python.into_iter().chain(words).collect())] }
}

/// Tools that are installed for the user, or run.
fn tools(parsed: &Parsed<'_>) -> Vec<Effect> {
    let verb = parsed.operand(0).map(|word| word.text.as_str()).unwrap_or_default();
    match verb {
        "run" => vec![Effect::runs(parsed.from(1).to_vec())],
        "list" | "tree" | "" => Vec::new(),
        _ => vec![Effect::says(Consequence::ChangesSystem, "changes programs outside of the workspace")],
    }
}

/// The folders that `uv venv --clear` empties.
fn cleared(parsed: &Parsed<'_>) -> Vec<Effect> {
    parsed.operands().flat_map(super::emptied::emptied).collect()
}
