//! Programs that stop the machine, rewrite its disks or change its kernel.

use crate::registry::{
    ArgumentCondition::{AtLeast, AtMost, FirstIsNot, Has, Lacks, Operand, OperandHas, OperandStarts},
    At, Consequence, Does, Expect, Program, Rule, Syntax, always, when,
};

const REWRITES: &[Rule] = &[
    when(&[AtLeast(1), Lacks("-h --help -V --version")], Does::Is(Consequence::RewritesDisk)),
    when(&[Lacks("-h --help -V --version -l --list -L --list-types"), AtMost(0)], Does::Is(Consequence::RewritesDisk)),
];
const ANY: Syntax = Syntax { flags: "-h|--help -V|--version -l|--list -L|--list-types -*", ..Syntax::EXACT };

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["shutdown", "reboot", "halt", "poweroff", "telinit", "kexec", "pm-suspend", "pm-hibernate"],
        is_family: true,
        syntax: ANY,
        rules: &[always(Does::Is(Consequence::StopsMachine))],
        examples: &[
            ("shutdown -h now", Expect::Denied("stops the machine")),
            ("reboot", Expect::Denied("stops the machine")),
            ("reboot --help", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["init"],
        syntax: ANY,
        rules: &[when(&[Operand("0 1 6 s S")], Does::Is(Consequence::StopsMachine))],
        examples: &[
            ("init 0", Expect::Denied("stops the machine")),
            ("init 6", Expect::Denied("stops the machine")),
            ("init --version", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["mkfs", "mkfs.*", "mke2fs", "mkswap", "mkdosfs", "mkntfs", "mkexfatfs"],
        is_family: true,
        syntax: Syntax { flags: "-h|--help -V|--version -L -*", ..Syntax::EXACT },
        rules: REWRITES,
        examples: &[
            ("mkfs -t ext4 x.img", Expect::Denied("rewrites a disk")),
            ("mkfs.ext4 /dev/sda", Expect::Denied("rewrites a disk")),
            ("mke2fs /dev/sda", Expect::Denied("rewrites a disk")),
            ("mkfs.ext4 -V", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["mkfs.erofs", "mkfs.cramfs", "mkfs.jffs2", "mkfs.ubifs", "mksquashfs", "mkfs.squashfs"],
        is_family: true,
        syntax: Syntax { flags: "-*", ..Syntax::EXACT },
        rules: &[always(Does::Writes(At::All)), when(&[OperandStarts("/dev/")], Does::Is(Consequence::RewritesDisk))],
        examples: &[
            ("mkfs.erofs image.erofs root/", Expect::Plain),
            ("mkfs.erofs /dev/sda root/", Expect::Denied("rewrites a disk")),
            ("mksquashfs root x.img", Expect::Writes("x.img")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "partprobe"],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help -V|-v|--version -l|--list -F|--list-free -L|--list-types -T -J|--json -d|--dump -s|--show-size -m|--machine -p|--print -P|--pretend -q --delete --zap --zap-all|-Z --clear --new --mbrtogpt --append|-A --wipe --load-backup -*",
            valued: "-a|--align -i|--info",
            ..Syntax::EXACT
        },
        rules: &[
            when(
                &[
                    Lacks(
                        "--help --version --list --list-free --list-types -T --dump --json --show-size --print --info --pretend",
                    ),
                    FirstIsNot("help"),
                ],
                Does::Is(Consequence::RewritesDisk),
            ),
            when(
                &[Operand("mklabel mkpart rm resizepart mktable set toggle name rescue disk_set mkpartfs")],
                Does::Is(Consequence::RewritesDisk),
            ),
            when(
                &[Has("--delete --zap --zap-all --clear --new --mbrtogpt --append --wipe --load-backup")],
                Does::Is(Consequence::RewritesDisk),
            ),
        ],
        examples: &[
            ("fdisk /dev/sda", Expect::Denied("rewrites a disk")),
            ("sfdisk --delete /dev/sda", Expect::Denied("rewrites a disk")),
            ("parted -s /dev/sda mklabel gpt", Expect::Denied("rewrites a disk")),
            ("fdisk -l", Expect::Plain),
            ("sfdisk -h", Expect::Plain),
            ("parted -h", Expect::Plain),
            ("sgdisk -L", Expect::Plain),
            ("sgdisk -Z /dev/sda", Expect::Denied("rewrites a disk")),
            ("sfdisk -d /dev/sda", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["losetup"],
        syntax: Syntax {
            flags: "-a|--all -l|--list -J|--json -n|--noheadings --raw -h|--help -V|--version -d|--detach -D|--detach-all -f|--find -c|--set-capacity -P|--partscan \
                    -r|--read-only --show -v|--verbose -L|--nooverlap --output-all",
            valued: "-j|--associated -o|--offset --sizelimit -b|--sector-size -O|--output --direct-io",
            ..Syntax::GNU
        },
        rules: &[
            when(&[AtLeast(1), Lacks("--list --help --version")], Does::Is(Consequence::RewritesDisk)),
            when(&[Has("--detach --detach-all --set-capacity")], Does::Is(Consequence::RewritesDisk)),
        ],
        examples: &[
            ("losetup -f x.img", Expect::Denied("rewrites a disk")),
            ("losetup -D", Expect::Denied("rewrites a disk")),
            ("losetup -a", Expect::Plain),
            ("losetup --list", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "wipefs", "blkdiscard", "hdparm", "cryptsetup", "lvremove", "vgremove", "pvremove", "lvcreate", "vgcreate",
            "pvcreate", "lvresize", "mdadm", "badblocks", "swapoff", "swapon", "resize2fs", "tune2fs", "e2fsck",
            "fsck", "fsck.*", "xfs_repair", "zpool", "zfs", "btrfs", "dmsetup", "nvme", "sg_format", "debugfs",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help -V|--version -l|--list -s|--show|--summary -n|--no-act|--dry-run --dump -*",
            ..Syntax::EXACT
        },
        rules: &[
            when(
                &[
                    Lacks("--help --version --show --no-act --dump"),
                    FirstIsNot(
                        "list status get help version show iostat history ls info table subvolume filesystem smart-log",
                    ),
                ],
                Does::Is(Consequence::RewritesDisk),
            ),
            when(&[Operand("delete destroy rollback defragment resize rename")], Does::Is(Consequence::RewritesDisk)),
        ],
        examples: &[
            ("wipefs -a /dev/sda", Expect::Denied("rewrites a disk")),
            ("swapoff -a", Expect::Denied("rewrites a disk")),
            ("cryptsetup luksFormat /dev/sda", Expect::Denied("rewrites a disk")),
            ("zfs destroy pool/x", Expect::Denied("rewrites a disk")),
            ("debugfs -R '!sh'", Expect::Denied("rewrites a disk")),
            ("swapon --show", Expect::Plain),
            ("zfs list", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["insmod", "rmmod", "modprobe", "depmod", "kmod", "dkms"],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help -V|--version -n|--dry-run|--show|--just-print -c|--showconfig|--show-config -D|--show-depends --show-modversions --show-exports -R|--resolve-alias -*",
            ..Syntax::EXACT
        },
        rules: &[when(
            &[
                Lacks(
                    "--help --version --dry-run --showconfig --show-depends --show-modversions --show-exports --resolve-alias",
                ),
                FirstIsNot("list status static-nodes help"),
            ],
            Does::Is(Consequence::ChangesKernel),
        )],
        examples: &[
            ("insmod x.ko", Expect::Denied("changes the kernel")),
            ("modprobe x", Expect::Denied("changes the kernel")),
            ("modprobe -n x", Expect::Plain),
            ("rmmod -h", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["sysctl"],
        syntax: Syntax {
            flags: "-a|--all|-A|-X -b|--binary -e|--ignore -N|--names -n|--values -q|--quiet -w|--write --deprecated --dry-run --system",
            valued: "-r|--pattern",
            optional: "-p|--load -f",
            ..Syntax::GNU
        },
        rules: &[
            when(&[OperandHas("=")], Does::Is(Consequence::ChangesSystem)),
            when(&[Has("--write --load --system")], Does::Is(Consequence::ChangesSystem)),
        ],
        examples: &[
            ("sysctl -w kernel.x=1", Expect::Asks("changes the system")),
            ("sysctl kernel.x=1", Expect::Asks("changes the system")),
            ("sysctl -n kernel.ostype", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["mount", "umount", "pivot_root", "fusermount", "fusermount3", "mount.*"],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help -V|--version -l|--show-labels -a|--all -A -*",
            valued: "-t|--types -o|--options -O|--test-opts -L|--label -U|--uuid",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[AtLeast(1)], Does::Says(Consequence::ChangesSystem, "changes what is mounted")),
            when(&[Has("--all -A --label --uuid")], Does::Says(Consequence::ChangesSystem, "changes what is mounted")),
        ],
        examples: &[
            ("mount -o bind / x", Expect::Asks("changes what is mounted")),
            ("umount -l /home", Expect::Asks("changes what is mounted")),
            ("mount", Expect::Plain),
            ("mount -t ext4", Expect::Plain),
        ],
        ..Program::NEW
    },
];
