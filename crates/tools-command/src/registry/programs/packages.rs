//! The package managers of operating systems: commands that change the system, and options that run
//! programs.

use crate::registry::prelude::*;

const PACKAGES: Does = Says(Consequence::ChangesSystem, "changes packages of the system");
const RUNS: &str = "a package manager with settings that may run a program";

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["apt", "apt-get", "aptitude", "apt-cache", "apt-mark", "apt-key", "add-apt-repository", "dselect"],
        flags: "-y|--yes|--assume-yes --assume-no -q|--quiet -qq -s|--simulate|--just-print|--dry-run|--recon|--no-act -d|--download-only -f|--fix-broken -m|--ignore-missing|--fix-missing --no-install-recommends \
                    --install-recommends --install-suggests --no-install-suggests --reinstall --only-upgrade --no-upgrade --purge --auto-remove|--autoremove --allow-downgrades --allow-remove-essential --allow-change-held-packages \
                    --allow-unauthenticated --no-remove --print-uris -V|--verbose-versions --installed --upgradable --upgradeable --manual-installed --all-versions -a --names-only --full --no-download --trivial-only -u \
                    -h|--help -v|--version --no-show-upgraded --force-yes -i -n --no-all-versions --recurse --important --update",
        valued: "-o|--option -c|--config-file -t|--target-release|--default-release -P|--build-profiles --host-architecture --format -F -w --color",
        rules: &[
            when(Has("--option --config-file"), Hides(RUNS)),
            when_all(
                &[
                    First(
                        "install remove purge upgrade dist-upgrade full-upgrade autoremove auto-remove autopurge reinstall build-dep update clean autoclean dselect-upgrade edit-sources hold unhold auto manual adv add satisfy \
                safe-upgrade forget-new markauto unmarkauto",
                    ),
                    Lacks("--simulate --print-uris"),
                ],
                PACKAGES,
            ),
            when(First("changelog"), Hides("a list of changes that is shown in a pager")),
            always(Reads(At::Value("--config-file"))),
        ],
        examples: &[
            ("apt-get -o APT::Update::Pre-Invoke::=x update", Expect::Opaque(RUNS)),
            ("apt-get -oAPT::Update::Pre-Invoke::=x update", Expect::Opaque(RUNS)),
            ("apt -c x update", Expect::Opaque(RUNS)),
            ("apt install -y bash", Expect::Asks("changes packages")),
            ("apt changelog apt", Expect::Opaque("shown in a pager")),
        ],
        plain_lines: &["apt list --installed", "apt-cache show bash", "apt-get -s install bash"],
        ..Program::EXACT
    },
    Program {
        family: &["dpkg", "dpkg-deb", "dpkg-query", "dpkg-reconfigure", "dpkg-divert"],
        flags: "-l|--list -L|--listfiles -s|--status -S|--search -p|--print-avail -c|--contents -I|--info -W|--show -C|--audit --get-selections --print-architecture --print-foreign-architectures --compare-versions -V|--verify \
                    -h|--help -i|--install --unpack --configure -r|--remove -P|--purge --triggers-only --add-architecture --remove-architecture --set-selections --clear-selections --update-avail --merge-avail --clear-avail -R|--recursive \
                    -x|--extract -X|--vextract -e|--control -R|--raw-extract -b|--build -f|--field --fsys-tarfile -a|--pending -E -G -B --no-triggers --triggers --dry-run|--no-act|--simulate",
        valued: "--pre-invoke --post-invoke --status-logger --path-exclude --path-include --root --admindir --instdir --force-* --log --showformat",
        rules: &[
            always(RunsLine(At::Value("--pre-invoke --post-invoke --status-logger"))),
            when(Has("--pre-invoke --post-invoke --status-logger"), Hides(RUNS)),
            when_all(
                &[
                    Has(
                        "--install --unpack --configure --remove --purge --triggers-only --add-architecture --remove-architecture --set-selections --clear-selections --merge-avail --update-avail --clear-avail",
                    ),
                    Lacks("--dry-run"),
                ],
                PACKAGES,
            ),
            when(Has("--install --unpack --configure"), Hides("a package whose scripts are run")),
            when(Has("--extract --vextract --recursive"), Unpacks(At::Nth(1))),
            when(Has("--extract --vextract --recursive"), Writes(At::Nth(1))),
        ],
        examples: &[
            ("dpkg -i ./x.deb", Expect::Opaque("a package whose scripts are run")),
            ("dpkg --pre-invoke='rm -rf x' -i y.deb", Expect::Runs("rm -rf x")),
            ("dpkg -r x", Expect::Asks("changes packages")),
        ],
        plain_lines: &["dpkg -S /bin/sh", "dpkg -l"],
        ..Program::EXACT
    },
    Program {
        family: &["rpm", "rpmbuild", "rpmspec", "rpmquery", "rpmverify", "rpmdb", "rpmkeys"],
        flags: "-q|--query -a|--all -f|--file -p|--package -l|--list -i|--info|--install -U|--upgrade -F|--freshen -e|--erase -V|--verify -v|--verbose -h|--hash -K|--checksig -c|--configfiles -d|--docfiles -R|--requires --provides --changelog \
                    --scripts --triggers --filetriggers --nodeps --force --test --justdb --noscripts --last --whatprovides --whatrequires --showrc --import --rebuilddb --initdb --reinstall --restore --setperms --setugids --version --help -b* -t* --rebuild --recompile -P|--parse --specfile",
        valued: "--qf|--queryformat -E|--eval -D|--define --undefine --pipe --load --rcfile --macros --dbpath --root --prefix --relocate --with --without --target --buildroot",
        rules: &[
            when(Has("--specfile --eval --define --pipe --load --rcfile --macros --dbpath"), Hides(RUNS)),
            always(RunsLine(At::Value("--pipe"))),
            when_all(
                &[
                    Has(
                        "--upgrade --freshen --erase --install --import --rebuilddb --initdb --reinstall --restore --setperms --setugids",
                    ),
                    Lacks("--query --test --verify"),
                ],
                PACKAGES,
            ),
            when_all(
                &[Has("--install --upgrade --freshen --reinstall"), Lacks("--query")],
                Hides("a package whose scripts are run"),
            ),
            when(Has("-b* -t* --rebuild --recompile --parse"), Hides("a package that is built by its own script")),
        ],
        examples: &[
            ("rpm --eval '%(id)'", Expect::Opaque(RUNS)),
            ("rpm -q --specfile x", Expect::Opaque(RUNS)),
            ("rpm -E '%(id)'", Expect::Opaque(RUNS)),
            ("rpm --pipe 'rm -rf x' -qa", Expect::Runs("rm -rf x")),
            ("rpmquery --eval '%(id)'", Expect::Opaque(RUNS)),
            ("rpm -ivh x.rpm", Expect::Opaque("whose scripts are run")),
            ("rpm -e x", Expect::Asks("changes packages")),
        ],
        plain_lines: &["rpm -qa", "rpm -qi bash"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "dnf", "dnf5", "yum", "microdnf", "zypper", "apk", "brew", "port", "snap", "flatpak", "emerge",
            "xbps-install", "xbps-remove", "pkg", "pkg_add", "pkg_delete", "nix-env", "guix", "eopkg", "swupd", "tdnf",
            "choco", "scoop", "winget", "opkg",
        ],
        flags: "-i -e -u -C --install --remove --sync --upgrade --unmerge --uninstall --depclean --rollback -*",
        valued: "-c|--config --setopt --enableplugin --disableplugin --pluginpath --cachedir --installroot --repo --repoid --enablerepo --disablerepo --releasever --hookdir -b|--dbpath --root --gpgdir --logfile --cask --formula --command --runtime",
        rules: &[
            when(
                First(
                    "install i remove rm r uninstall erase upgrade up update dup dist-upgrade downgrade reinstall autoremove distro-sync swap groupinstall localinstall module add del fix in addrepo ar removerepo rr refresh ref \
                clean link unlink tap untap pin unpin cleanup services reinstall connect disconnect set unset enable disable start stop restart revert switch switch-generation delete-generations makecache history mark offline system-upgrade copr \
                config-manager config override remote-add remote-delete repair mask alias create autopurge pull bundle-add bundle-remove build-dep builddep",
                ),
                PACKAGES,
            ),
            when(
                Has("-i -e -u -C --install --remove --sync --upgrade --unmerge --uninstall --depclean --rollback"),
                PACKAGES,
            ),
            when_all(&[Has("--config --setopt --pluginpath --hookdir --enableplugin"), AtLeast(1)], Hides(RUNS)),
            when(
                First("run exec sh shell edit irb ruby bundle create dev-cmd"),
                Hides("a package manager that runs what it is told to"),
            ),
            always(RunsLine(At::Value("--command"))),
            when(OperandHas(".snap .rpm .pkg.tar .apk"), Hides("a package whose scripts are run")),
        ],
        prints: &[("brew", Prints::NamesWith("--prefix"))],
        examples: &[
            ("dnf install -y bash", Expect::Asks("changes packages")),
            ("brew install python", Expect::Asks("changes packages")),
            ("snap install ./x.snap --dangerous", Expect::Opaque("whose scripts are run")),
            ("dnf -c x install y", Expect::Opaque(RUNS)),
            ("flatpak run x", Expect::Opaque("runs what it is told to")),
            ("brew install python --help", Expect::Asks("changes packages")),
        ],
        plain_lines: &["brew list", "brew install --help", "dnf list installed"],
        ..Program::EXACT
    },
    Program {
        family: &["pacman", "yay", "paru"],
        flags: "-Ss|-Ssq|-Si|-Sii|-Sl|-Sg|-Sp|--search -S*|--sync -R*|--remove -U*|--upgrade -D*|--database -Q*|--query -F*|--files -T*|--deptest -*",
        valued: "--config --hookdir --dbpath --root --gpgdir --logfile --cachedir --arch --editor --pacman --makepkg --git",
        rules: &[
            when(Has("--sync --remove --upgrade --database"), PACKAGES),
            when(Has("--upgrade"), Hides("a package whose scripts are run")),
            when(Has("--config --hookdir --editor --pacman --makepkg --git"), Hides(RUNS)),
        ],
        examples: &[
            ("pacman -Syu x", Expect::Asks("changes packages")),
            ("pacman -Rns x", Expect::Asks("changes packages")),
            ("pacman -U x.pkg.tar", Expect::Opaque("whose scripts are run")),
            ("pacman --hookdir x -Q", Expect::Opaque(RUNS)),
        ],
        plain_lines: &["pacman -Ss bash", "pacman -Q"],
        ..Program::EXACT
    },
];
