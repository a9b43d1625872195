//! Programs that stop the machine, rewrite its disks or change its kernel.

use crate::registry::prelude::*;

const REWRITES: &[Rule] = &[
    when_all(&[AtLeast(1), Lacks("-h --help -V --version")], Is(Consequence::RewritesDisk)),
    when_all(&[Lacks("-h --help -V --version -l --list -L --list-types"), AtMost(0)], Is(Consequence::RewritesDisk)),
];
const ANY: Program = Program { flags: "-h|--help -V|--version -l|--list -L|--list-types -*", ..Program::EXACT };

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["shutdown", "reboot", "halt", "poweroff", "telinit", "kexec", "pm-suspend", "pm-hibernate"],
        rules: &[always(Is(Consequence::StopsMachine))],
        examples: &[
            ("shutdown -h now", Expect::Denied("stops the machine")),
            ("reboot", Expect::Denied("stops the machine")),
        ],
        plain_lines: &["reboot --help"],
        ..ANY
    },
    Program {
        names: &["init"],
        rules: &[when(Operand("0 1 6 s S"), Is(Consequence::StopsMachine))],
        examples: &[("init 0", Expect::Denied("stops the machine")), ("init 6", Expect::Denied("stops the machine"))],
        plain_lines: &["init --version"],
        ..ANY
    },
    Program {
        family: &["mkfs", "mkfs.*", "mke2fs", "mkswap", "mkdosfs", "mkntfs", "mkexfatfs"],
        flags: "-h|--help -V|--version -L -*",
        rules: REWRITES,
        examples: &[
            ("mkfs -t ext4 x.img", Expect::Denied("rewrites a disk")),
            ("mkfs.ext4 /dev/sda", Expect::Denied("rewrites a disk")),
            ("mke2fs /dev/sda", Expect::Denied("rewrites a disk")),
        ],
        plain_lines: &["mkfs.ext4 -V"],
        ..Program::EXACT
    },
    Program {
        family: &["mkfs.erofs", "mkfs.cramfs", "mkfs.jffs2", "mkfs.ubifs", "mksquashfs", "mkfs.squashfs"],
        flags: "-*",
        rules: &[always(Writes(At::All)), when(OperandStarts("/dev/"), Is(Consequence::RewritesDisk))],
        examples: &[
            ("mkfs.erofs /dev/sda root/", Expect::Denied("rewrites a disk")),
            ("mksquashfs root x.img", Expect::Writes("x.img")),
        ],
        plain_lines: &["mkfs.erofs image.erofs root/"],
        ..Program::EXACT
    },
    Program {
        family: &["fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "partprobe"],
        flags: "-h|--help -V|-v|--version -l|--list -F|--list-free -L|--list-types -T -J|--json -d|--dump -s|--show-size -m|--machine -p|--print -P|--pretend -q --delete --zap --zap-all|-Z --clear --new --mbrtogpt --append|-A --wipe --load-backup -*",
        valued: "-a|--align -i|--info",
        rules: &[
            when_all(
                &[
                    Lacks(
                        "--help --version --list --list-free --list-types -T --dump --json --show-size --print --info --pretend",
                    ),
                    FirstIsNot("help"),
                ],
                Is(Consequence::RewritesDisk),
            ),
            when(
                Operand("mklabel mkpart rm resizepart mktable set toggle name rescue disk_set mkpartfs"),
                Is(Consequence::RewritesDisk),
            ),
            when(
                Has("--delete --zap --zap-all --clear --new --mbrtogpt --append --wipe --load-backup"),
                Is(Consequence::RewritesDisk),
            ),
        ],
        examples: &[
            ("fdisk /dev/sda", Expect::Denied("rewrites a disk")),
            ("sfdisk --delete /dev/sda", Expect::Denied("rewrites a disk")),
            ("parted -s /dev/sda mklabel gpt", Expect::Denied("rewrites a disk")),
            ("sgdisk -Z /dev/sda", Expect::Denied("rewrites a disk")),
        ],
        plain_lines: &["fdisk -l", "sfdisk -h", "parted -h", "sgdisk -L", "sfdisk -d /dev/sda"],
        ..Program::EXACT
    },
    Program {
        names: &["losetup"],
        flags: "-a|--all -l|--list -J|--json -n|--noheadings --raw -h|--help -V|--version -d|--detach -D|--detach-all -f|--find -c|--set-capacity -P|--partscan \
                    -r|--read-only --show -v|--verbose -L|--nooverlap --output-all",
        valued: "-j|--associated -o|--offset --sizelimit -b|--sector-size -O|--output --direct-io",
        rules: &[
            when_all(&[AtLeast(1), Lacks("--list --help --version")], Is(Consequence::RewritesDisk)),
            when(Has("--detach --detach-all --set-capacity"), Is(Consequence::RewritesDisk)),
        ],
        examples: &[
            ("losetup -f x.img", Expect::Denied("rewrites a disk")),
            ("losetup -D", Expect::Denied("rewrites a disk")),
        ],
        plain_lines: &["losetup -a", "losetup --list"],
        ..Program::GNU
    },
    Program {
        family: &[
            "wipefs", "blkdiscard", "hdparm", "cryptsetup", "lvremove", "vgremove", "pvremove", "lvcreate", "vgcreate",
            "pvcreate", "lvresize", "mdadm", "badblocks", "swapoff", "swapon", "resize2fs", "tune2fs", "e2fsck",
            "fsck", "fsck.*", "xfs_repair", "zpool", "zfs", "btrfs", "dmsetup", "nvme", "sg_format", "debugfs",
        ],
        flags: "-h|--help -V|--version -l|--list -s|--show|--summary -n|--no-act|--dry-run --dump -*",
        rules: &[
            when_all(
                &[
                    Lacks("--help --version --show --no-act --dump"),
                    FirstIsNot(
                        "list status get help version show iostat history ls info table subvolume filesystem smart-log",
                    ),
                ],
                Is(Consequence::RewritesDisk),
            ),
            when(Operand("delete destroy rollback defragment resize rename"), Is(Consequence::RewritesDisk)),
        ],
        examples: &[
            ("wipefs -a /dev/sda", Expect::Denied("rewrites a disk")),
            ("swapoff -a", Expect::Denied("rewrites a disk")),
            ("cryptsetup luksFormat /dev/sda", Expect::Denied("rewrites a disk")),
            ("zfs destroy pool/x", Expect::Denied("rewrites a disk")),
            ("debugfs -R '!sh'", Expect::Denied("rewrites a disk")),
        ],
        plain_lines: &["swapon --show", "zfs list"],
        ..Program::EXACT
    },
    Program {
        family: &["insmod", "rmmod", "modprobe", "depmod", "kmod", "dkms"],
        flags: "-h|--help -V|--version -n|--dry-run|--show|--just-print -c|--showconfig|--show-config -D|--show-depends --show-modversions --show-exports -R|--resolve-alias -*",
        rules: &[when_all(
            &[
                Lacks(
                    "--help --version --dry-run --showconfig --show-depends --show-modversions --show-exports --resolve-alias",
                ),
                FirstIsNot("list status static-nodes help"),
            ],
            Is(Consequence::ChangesKernel),
        )],
        examples: &[
            ("insmod x.ko", Expect::Denied("changes the kernel")),
            ("modprobe x", Expect::Denied("changes the kernel")),
        ],
        plain_lines: &["modprobe -n x", "rmmod -h"],
        ..Program::EXACT
    },
    Program {
        names: &["sysctl"],
        flags: "-a|--all|-A|-X -b|--binary -e|--ignore -N|--names -n|--values -q|--quiet -w|--write --deprecated --dry-run --system",
        valued: "-r|--pattern",
        optional: "-p|--load -f",
        rules: &[
            when(OperandHas("="), Is(Consequence::ChangesSystem)),
            when(Has("--write --load --system"), Is(Consequence::ChangesSystem)),
        ],
        examples: &[
            ("sysctl -w kernel.x=1", Expect::Asks("changes the system")),
            ("sysctl kernel.x=1", Expect::Asks("changes the system")),
        ],
        plain_lines: &["sysctl -n kernel.ostype"],
        ..Program::GNU
    },
    Program {
        family: &["mount", "umount", "pivot_root", "fusermount", "fusermount3", "mount.*"],
        flags: "-h|--help -V|--version -l|--show-labels -a|--all -A -*",
        valued: "-t|--types -o|--options -O|--test-opts -L|--label -U|--uuid",
        rules: &[
            when(AtLeast(1), Says(Consequence::ChangesSystem, "changes what is mounted")),
            when(Has("--all -A --label --uuid"), Says(Consequence::ChangesSystem, "changes what is mounted")),
        ],
        examples: &[
            ("mount -o bind / x", Expect::Asks("changes what is mounted")),
            ("umount -l /home", Expect::Asks("changes what is mounted")),
        ],
        plain_lines: &["mount", "mount -t ext4"],
        ..Program::EXACT
    },
];
