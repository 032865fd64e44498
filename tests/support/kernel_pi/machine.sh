#!/bin/sh
# sh machine.sh FOLDER: boots Debian's own kernel in an emulator (no KVM, nothing is loaded here) and
# runs trial.py there over the unchanged driver; FOLDER/out is what it said, FOLDER/wire what went
# over SPI. FOLDER (600 MB) is kept for the next run.
#
# Debian's packages qemu-system-x86 kmod cpio make gcc-12 xz-utils, and pip. No kernel of Debian's has
# gpio-sim: it is built from Debian's source of that kernel.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../../.." && pwd)
cd "$1"
work=$PWD
kernel=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: linux-image-//p')
base=${kernel%-*}
short=$(echo "$kernel" | cut -d. -f1,2)

prepare() {
    mkdir -p debs host m root
    (cd debs && apt-get -o APT::Sandbox::User=root -q download \
        "linux-image-$kernel" "linux-headers-$kernel" "linux-headers-$base-common" \
        "linux-kbuild-$short" "linux-source-$short" busybox-static python3.11-minimal \
        libpython3.11-minimal libpython3.11-stdlib libc6 zlib1g libexpat1 libffi8 libssl3 libuuid1 \
        liblzma5 libbz2-1.0)
    for deb in debs/*.deb; do
        case $deb in debs/linux-*) dpkg-deb -x "$deb" host ;; *) dpkg-deb -x "$deb" root ;; esac
    done
    python3 -m pip install -q --no-deps --only-binary :all: --python-version 3.11 \
        --platform manylinux2014_x86_64 --target root/site msgspec
    sources=linux-source-$short
    tar -xJf "host/usr/src/$sources.tar.xz" --strip-components=3 -C m \
        "$sources/drivers/gpio/gpio-sim.c" "$sources/drivers/gpio/gpiolib.h" \
        "$sources/kernel/irq/irq_sim.c"
    # What it calls there is not exported to modules; this is, and does the same for it.
    sed -i 's/handle_simple_irq(irq_to_desc(irqnum))/generic_handle_irq(irqnum)/' m/irq_sim.c
    printf 'obj-m := gpio_sim.o\ngpio_sim-y := gpio-sim.o irq_sim.o\n' >m/Kbuild
    make -s -C "host/usr/src/linux-headers-$base-common" O="$work/host/usr/src/linux-headers-$kernel" \
        M="$work/m" PAHOLE=true modules
    mkdir -p "host/lib/modules/$kernel/extra"
    cp m/gpio_sim.ko "host/lib/modules/$kernel/extra"
    depmod -b host "$kernel"
    rm -rf debs "host/usr/src/$sources.tar.xz"
    echo "$kernel" >prepared
}
[ "$(cat prepared 2>/dev/null)" = "$kernel" ] || { rm -rf debs host m root && prepare; }

rm -rf root/m root/lumiban
mkdir -p root/m root/lumiban root/dev root/proc root/sys
cp -r "$project/host" "$project/firmware" "$project/hardware" root/lumiban/
cp "$here"/*.py root/
n=100
for module in gpio_sim i2c-dev parport_pc spi-butterfly vhci-hcd i2c-tiny-usb; do
    modprobe -d host -S "$kernel" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
done | awk '!seen[$0]++' | while read -r file; do
    n=$((n + 1))
    cp "$file" "root/m/$n.ko"
done
cat >root/init <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin:/sbin PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=/lumiban/host:/lumiban/firmware:/lumiban/hardware:/site
mount -t proc p /proc; mount -t sysfs s /sys; mount -t devtmpfs d /dev
for file in /m/*.ko; do insmod "$file" || echo "not loaded: $file"; done
mount -t configfs c /sys/kernel/config
python3.11 /trial.py
echo "ENDED $?"
reboot -f
INIT
chmod 755 root/init
(cd root && find . ! -path '*/node_modules/*' ! -name '*.pyc' | cpio -o -H newc --quiet) >initrd
: >out
: >wire
timeout 240 qemu-system-x86_64 -M q35 -cpu max -smp 2 -m 1024 -accel tcg,thread=multi -display none \
    -no-reboot -serial file:out -chardev null,id=p -device isa-parallel,chardev=p \
    -trace parallel_ioport_write -D wire -kernel "host/boot/vmlinuz-$kernel" -initrd initrd \
    -append "console=ttyS0,115200 panic=-1 mitigations=off edd=off quiet"
