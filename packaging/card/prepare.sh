#!/bin/sh
# prepare.sh BOOTFS: lets a card with Raspberry Pi OS run firstrun.sh at its first start.
set -eu
boot=${1:?usage: prepare.sh /path/to/bootfs}
line=$boot/cmdline.txt
[ -f "$line" ] || { echo "$boot is no boot partition of Raspberry Pi OS: it has no cmdline.txt" >&2; exit 2; }
[ -f "$boot/firstrun.sh" ] || { echo "copy firstrun.sh to $boot first" >&2; exit 2; }
ls "$boot"/lumiban/*.deb >/dev/null 2>&1 || { echo "copy the packages to $boot/lumiban first" >&2; exit 2; }
if ! grep -q 'systemd\.run=' "$line"; then
    sed -i '1s|[[:space:]]*$| systemd.run=/boot/firmware/firstrun.sh systemd.run_success_action=reboot systemd.unit=kernel-command-line.target|' "$line"
fi
echo "ready: put the card in the Pi"
