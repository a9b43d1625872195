//! Programs that build distribution packages and system images: they run the recipe that they find.

use crate::reader::Value;
use crate::registry::prelude::*;

const SYSTEM: Does = Says(Consequence::ChangesSystem, "makes or changes a system");
const HOOKS: &str = "commands that are run while a system is made";

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["makepkg", "extra-x86_64-build", "pkgctl", "abuild", "ebuild", "xbps-src", "rpmdev", "fedpkg"],
        flags: "-i|--install -h|--help -V|--version -*",
        valued: "-p --config",
        rules: &[
            when(Lacks("-p -h --help -V --version"), Follows("PKGBUILD APKBUILD")),
            always(RunsScript(At::Value("-p --config"))),
            when(OperandHas(".ebuild"), RunsScript(At::Nth(0))),
            when(Has("--install"), SYSTEM),
        ],
        examples: &[
            ("makepkg -s", Expect::Scripts("PKGBUILD")),
            ("makepkg -p x/PKGBUILD", Expect::Scripts("x/PKGBUILD")),
            ("makepkg --config ./x", Expect::Scripts("x")),
            ("makepkg -i", Expect::Asks("a system")),
        ],
        plain_lines: &["makepkg --version"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "dpkg-buildpackage", "debuild", "dpkg-checkbuilddeps", "pdebuild", "sbuild", "gbp", "dh", "checkinstall",
            "fpm",
        ],
        flags: "-h|--help --version -*",
        valued: "-s -t -n -p|--package -r --root-command --hook-* --buildinfo-option --before-install --after-install --before-remove \
                     --after-remove --before-upgrade --after-upgrade --pre-build-commands --chroot-setup-commands --git-builder",
        rules: &[
            when(Lacks("-h --help --version"), Follows("debian/rules")),
            when(
                Has("-r --root-command --hook-* --pre-build-commands --chroot-setup-commands --git-builder"),
                Hides("commands that are run while a package is built"),
            ),
            always(Reads(At::Value(
                "--before-install --after-install --before-remove --after-remove --before-upgrade --after-upgrade",
            ))),
        ],
        examples: &[
            ("dpkg-buildpackage -us -uc", Expect::Scripts("debian/rules")),
            ("dpkg-buildpackage -r ./x", Expect::Opaque("while a package is built")),
        ],
        plain_lines: &["debuild --version"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "debootstrap", "mmdebstrap", "pbuilder", "pacstrap", "mkosi", "mkinitcpio", "dracut", "update-initramfs",
            "mkinitramfs", "update-grub", "grub-install", "grub-mkconfig", "grub2-mkconfig", "efibootmgr",
            "update-alternatives", "alternatives", "needrestart", "certbot", "fail2ban-client", "plymouth", "netplan",
            "nixos-rebuild", "home-manager", "darwin-rebuild", "topgrade", "mas", "archinstall", "genfstab", "snapper",
            "timeshift",
        ],
        flags: "-h|--help -V|--version -l|--list --display --query -*",
        valued: "--pre-hook --post-hook --deploy-hook --renew-hook --manual-auth-hook --manual-cleanup-hook --setup-hook --extract-hook \
                     --essential-hook --customize-hook --hook-dir --hooks --config -c --configuration",
        rules: &[
            when(
                Has(
                    "--pre-hook --post-hook --deploy-hook --renew-hook --manual-auth-hook --manual-cleanup-hook --setup-hook --extract-hook \
                     --essential-hook --customize-hook --hook-dir --hooks --config -c --configuration",
                ),
                Hides(HOOKS),
            ),
            when_all(
                &[
                    Lacks("-h --help -V --version -l --list --display --query"),
                    FirstIsNot("list status show help version certificates ping get generations plugins"),
                ],
                SYSTEM,
            ),
        ],
        examples: &[
            ("mmdebstrap --customize-hook='id' stable x", Expect::Opaque(HOOKS)),
            ("certbot certonly --pre-hook id -d x", Expect::Opaque(HOOKS)),
            ("update-alternatives --install /usr/bin/x x ./y 1", Expect::Asks("a system")),
            ("nixos-rebuild switch", Expect::Asks("a system")),
            ("fail2ban-client set sshd action a actionban id", Expect::Asks("a system")),
        ],
        plain_lines: &["certbot certificates", "update-alternatives --list editor"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "autoconf", "autoreconf", "autoheader", "automake", "aclocal", "autom4te", "autoupdate", "autoscan",
            "ifnames",
        ],
        flags: "-f|--force -i|--install -s|--symlink -v|--verbose -d|--debug -m|--make -W* -h|--help -V|--version -a|--add-missing -c|--copy \
                    --foreign --gnu --gnits -n|--no-force --no-recursive -r",
        valued: "-o|--output -I|--include -B|--prepend-include -l|--language --system-acdir --automake-acdir -M|--melt",
        rules: &[
            when_all(&[Lacks("--help --version"), AtMost(0)], Follows("configure.ac configure.in")),
            when(Lacks("--help --version"), RunsScript(At::All)),
            always(Writes(At::Value("--output"))),
        ],
        examples: &[
            ("autoreconf -fi", Expect::Scripts("configure.ac")),
            ("autoconf -o .envrc x.ac", Expect::Writes(".envrc")),
            ("autoconf x.ac", Expect::Scripts("x.ac")),
        ],
        plain_lines: &["automake --version"],
        ..Program::GNU
    },
    Program {
        family: &["libtool", "glibtool"],
        flags: "-n|--dry-run --debug --quiet|--silent --no-quiet --no-silent -v|--verbose --finish --features --config -h|--help --version \
                    --preserve-dup-deps",
        valued: "--tag --mode -dlopen",
        rules: RUNS_OPERANDS,
        examples: &[
            ("libtool --mode=execute sudo id", Expect::Denied("takes other rights")),
            ("libtool --tag=CC --mode=compile gcc -c x.c", Expect::Runs("gcc -c x.c")),
            ("libtool --odd rm x", Expect::Opaque("`--odd` of `libtool`")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["doxygen"],
        flags: "-s -g -l -u -x -x_noenv -d -v -h -V",
        valued: "-w -e -f",
        style: Style::Single,
        rules: &[
            when(Lacks("-g -l -w -e -u -x -x_noenv -v -V -h -f"), RunsScript(At::Nth(0))),
            when_all(&[Lacks("-g -l -w -e -u -x -x_noenv -v -V -h -f"), AtMost(0)], Follows("Doxyfile")),
            when(Has("-g -l -u"), Writes(At::Nth(0))),
        ],
        examples: &[
            ("doxygen x.cfg", Expect::Scripts("x.cfg")),
            ("doxygen", Expect::Scripts("Doxyfile")),
            ("doxygen -g .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["doxygen -v"],
        ..Program::GNU
    },
    Program {
        family: &["swig", "protoc", "buf", "qmake", "bison", "yacc", "flex", "lex", "xcodebuild"],
        flags: "-*",
        valued: "-o --output -S --skeleton --plugin --plugin_* --descriptor_set_out --dependency_out -project -scheme -destination --sdk -derivedDataPath \
                     --template -I --proto_path",
        style: Style::Single,
        rules: &[
            when(First("push"), Is(Consequence::Publishes)),
            when(Has("--plugin -S --skeleton"), Hides("a generator with a program of its own choice")),
            always(ByOption(template)),
            always(Writes(At::Value("-o --output --descriptor_set_out --dependency_out"))),
        ],
        examples: &[
            ("protoc --plugin=protoc-gen-x=./x --x_out=. y.proto", Expect::Opaque("of its own choice")),
            ("protoc --descriptor_set_out=.envrc y.proto", Expect::Writes(".envrc")),
            ("bison -o .envrc x.y", Expect::Writes(".envrc")),
            (
                "buf generate --template '{\"plugins\":[{\"local\":[\"git\",\"push\"]}]}'",
                Expect::Opaque("names programs"),
            ),
            ("buf generate --template=x.gen.yaml", Expect::Scripts("x.gen.yaml")),
            ("buf push", Expect::Asks("publishes")),
        ],
        plain_lines: &["bison -d x.y", "buf lint"],
        ..Program::GNU
    },
    Program {
        family: &[
            "act", "earthly", "dagger", "garden", "ddev-config", "gitlab-runner", "circleci", "woodpecker-cli", "drone",
        ],
        flags: "--bind --privileged -P|--allow-privileged --push -*",
        valued: "--container-options -W|--workflows -j|--job --platform -e|--eventpath -s|--secret --env --artifact-server-path -f --progress -m --mod --config -c",
        rules: &[
            when(
                Has("--container-options --bind --privileged --allow-privileged -P"),
                Hides("a container with the machine's own files or rights"),
            ),
            when(First("run exec"), RunsWords(At::From(1))),
            when(Has("--push"), Is(Consequence::Publishes)),
            when(First("deploy publish register unregister orb"), Is(Consequence::Publishes)),
            always(RunsScript(At::Value("-W -f"))),
        ],
        examples: &[
            ("dagger run sudo id", Expect::Denied("takes other rights")),
            ("act -W x.yml", Expect::Scripts("x.yml")),
            ("act --bind", Expect::Opaque("the machine's own files or rights")),
        ],
        plain_lines: &["act -l"],
        ..Program::EXACT
    },
];

/// The template of `buf`: a file if it has a known extension, otherwise the text itself.
fn template(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_file = |text: &str| [".yaml", ".yml", ".json"].iter().any(|end| text.ends_with(end));
    let read = |value: &Value| {
        if is_file(&value.text) {
            Effect::Script(value.clone())
        } else {
            Effect::hidden("a template on the line that names programs")
        }
    };
    parsed.values("--template").map(read).collect()
}
