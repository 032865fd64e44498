#!/bin/sh
# First run of a lumiban card: installs the packages that lie on the boot partition, then goes away.
# Written for /bin/sh of Raspberry Pi OS Lite; runs as root, once, without a network.
set -u
# The machine is only half up: units are switched on now and started at the next boot.
export SYSTEMD_OFFLINE=1
boot=/boot/firmware
[ -d "$boot" ] || boot=/boot
log=$boot/lumiban-firstrun.log
exec >"$log" 2>&1

# What lumiban.env says is read by the package's own program, before the package is installed: the
# network is there even if the card is too small for the rest.
program=$(mktemp -d)
for package in "$boot"/lumiban/lumiban_*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$program" --wildcards './usr/lib/lumiban/site/lumiban/*'
done
PYTHONPATH=$program/usr/lib/lumiban/site PYTHONDONTWRITEBYTECODE=1 python3 -s -P -m lumiban.service.card "$boot"
rm -rf "$program"

# The wizard that asks for a user would wait for somebody with a keyboard.
systemctl disable userconfig.service >/dev/null 2>&1
rm -f /etc/systemd/system/getty@tty1.service.d/autologin.conf
for keys in ~root/.ssh/authorized_keys /home/*/.ssh/authorized_keys; do
    if [ -s "$keys" ]; then systemctl enable ssh.service; fi
done
rfkill unblock wifi 2>/dev/null
# Pins and buses of the header, for boards on it.
if command -v raspi-config >/dev/null; then
    raspi-config nonint do_spi 0
    raspi-config nonint do_i2c 0
fi

if ls "$boot"/lumiban/*.deb >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    dpkg -i "$boot"/lumiban/*.deb ||
        echo "lumiban is not installed; what was said is above. Free: $(df -h / | tail -n 1)"
    # Whose updates are taken: the card's writer says so.
    if [ -f "$boot/lumiban/lumiban.gpg" ]; then
        install -D -m 644 "$boot/lumiban/lumiban.gpg" /etc/apt/keyrings/lumiban.gpg
    fi
fi
if [ -r "$boot/lumiban.toml" ] && id lumiban >/dev/null 2>&1; then
    install -d -o lumiban -g lumiban -m 750 /var/lib/lumiban
    install -o lumiban -g lumiban -m 640 "$boot/lumiban.toml" /var/lib/lumiban/settings.toml
fi
sed -i 's| systemd\.run=[^ ]*||; s| systemd\.run_success_action=[^ ]*||; s| systemd\.unit=kernel-command-line\.target||' "$boot/cmdline.txt"
echo done
exit 0
