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
LUMIBAN_HOSTNAME=lumiban LUMIBAN_WIFI_SSID= LUMIBAN_WIFI_PASSWORD= LUMIBAN_WIFI_COUNTRY= LUMIBAN_SSH_KEY= LUMIBAN_TIMEZONE=
if [ -r "$boot/lumiban.env" ]; then . "$boot/lumiban.env"; fi

echo "$LUMIBAN_HOSTNAME" >/etc/hostname
sed -i "s/^127\.0\.1\.1.*/127.0.1.1\t$LUMIBAN_HOSTNAME/" /etc/hosts
if [ -n "$LUMIBAN_TIMEZONE" ] && [ -e "/usr/share/zoneinfo/$LUMIBAN_TIMEZONE" ]; then
    ln -sf "/usr/share/zoneinfo/$LUMIBAN_TIMEZONE" /etc/localtime
fi
# The wizard that asks for a user would wait for somebody with a keyboard.
systemctl disable userconfig.service >/dev/null 2>&1
rm -f /etc/systemd/system/getty@tty1.service.d/autologin.conf
if [ -n "$LUMIBAN_SSH_KEY" ]; then
    # Of the first user, whom the system brings along; of root where it has none.
    person=$(getent passwd 1000 || getent passwd 0)
    name=$(echo "$person" | cut -d: -f1)
    group=$(echo "$person" | cut -d: -f4)
    keys=$(echo "$person" | cut -d: -f6)/.ssh
    install -d -o "$name" -g "$group" -m 700 "$keys"
    printf '%s\n' "$LUMIBAN_SSH_KEY" >"$keys/authorized_keys"
    chown "$name:$group" "$keys/authorized_keys"
    chmod 600 "$keys/authorized_keys"
    systemctl enable ssh.service
fi
if [ -n "$LUMIBAN_WIFI_SSID" ] && [ -d /etc/NetworkManager ]; then
    install -d -m 700 /etc/NetworkManager/system-connections
    umask 077
    {
        printf '[connection]\nid=lumiban\ntype=wifi\n[wifi]\nssid=%s\n' "$LUMIBAN_WIFI_SSID"
        [ -z "$LUMIBAN_WIFI_PASSWORD" ] || printf '[wifi-security]\nkey-mgmt=wpa-psk\npsk=%s\n' "$LUMIBAN_WIFI_PASSWORD"
        printf '[ipv4]\nmethod=auto\n[ipv6]\nmethod=auto\n'
    } >/etc/NetworkManager/system-connections/lumiban.nmconnection
    umask 022
    [ -z "$LUMIBAN_WIFI_COUNTRY" ] || printf 'options cfg80211 ieee80211_regdom=%s\n' "$LUMIBAN_WIFI_COUNTRY" >/etc/modprobe.d/lumiban-wifi.conf
    rfkill unblock wifi 2>/dev/null
fi
# Pins and buses of the header, for boards on it.
if command -v raspi-config >/dev/null; then
    raspi-config nonint do_spi 0
    raspi-config nonint do_i2c 0
fi
# A button between GPIO 3 and ground turns the machine off, and on again.
if [ -w "$boot/config.txt" ] && ! grep -q gpio-shutdown "$boot/config.txt"; then
    printf '\n[all]\ndtoverlay=gpio-shutdown\n' >>"$boot/config.txt"
fi

if ls "$boot"/lumiban/*.deb >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    dpkg -i "$boot"/lumiban/*.deb && mkdir -p /var/cache/lumiban-packages && cp "$boot"/lumiban/*.deb /var/cache/lumiban-packages/
fi
if [ -r "$boot/lumiban.toml" ] && [ -d /var/lib ]; then
    install -d -o lumiban -g lumiban -m 750 /var/lib/lumiban
    install -o lumiban -g lumiban -m 640 "$boot/lumiban.toml" /var/lib/lumiban/settings.toml
fi
# Secrets do not stay where every computer can read them.
rm -f "$boot/lumiban.env" "$boot/firstrun.sh"
sed -i 's| systemd\.run=[^ ]*||; s| systemd\.run_success_action=[^ ]*||; s| systemd\.unit=kernel-command-line\.target||' "$boot/cmdline.txt"
echo done
exit 0
