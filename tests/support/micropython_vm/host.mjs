// Hosts the MicroPython VM: each request on stdin (u32 length, body) is one step of the firmware.
// What a step writes to /dev/pins goes out at once, its length with the highest bit set; the next
// body on stdin is the answer to it, which the step then reads there.
// usage: node host.mjs <folder of lumiban_fw> <port.py> <module of the VM> <heap in bytes>
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [, , firmware, port, module, heap] = process.argv;
const { loadMicroPython } = await import(pathToFileURL(module));
let request = Buffer.alloc(0);
let answer = [];
let levels = Buffer.alloc(0);

const vm = await loadMicroPython({
  heapsize: Number(heap),
  linebuffer: false,
  stdout: (bytes) => fs.writeSync(2, Buffer.from(bytes)),
});
let devices = 0;

function makeDevice(name, read, write) {
  const device = vm.FS.makedev(64, devices++);
  vm.FS.registerDevice(device, {
    open(stream) {
      stream.seekable = false;
    },
    read(stream, buffer, offset, length) {
      const bytes = read(length);
      buffer.set(bytes, offset);
      return bytes.length;
    },
    write(stream, buffer, offset, length) {
      write(Buffer.from(buffer.slice(offset, offset + length)));
      return length;
    },
  });
  vm.FS.mkdev(name, 0o666, device);
}

makeDevice(
  "/dev/host",
  (length) => {
    const bytes = request.subarray(0, length);
    request = request.subarray(bytes.length);
    return bytes;
  },
  (bytes) => answer.push(bytes),
);
makeDevice(
  "/dev/pins",
  (length) => levels.subarray(0, length),
  (bytes) => {
    give(bytes, 0x80000000);
    levels = take(take(4).readUInt32LE());
  },
);
vm.FS.mkdirTree("/lib/lumiban_fw");
for (const name of fs.readdirSync(firmware)) {
  if (name.endsWith(".py")) {
    vm.FS.writeFile(`/lib/lumiban_fw/${name}`, fs.readFileSync(path.join(firmware, name)));
  }
}

function take(length) {
  const whole = Buffer.alloc(length);
  let at = 0;
  while (at < length) {
    const n = fs.readSync(0, whole, at, length - at, null);
    if (n === 0) process.exit(0);
    at += n;
  }
  return whole;
}

function give(body, mark = 0) {
  const whole = Buffer.alloc(4 + body.length);
  whole.writeUInt32LE(body.length + mark);
  body.copy(whole, 4);
  for (let at = 0; at < whole.length; ) at += fs.writeSync(1, whole, at);
}

try {
  vm.runPython(fs.readFileSync(port, "utf8") + "\nstep = Steps().step\n");
  const step = vm.globals.get("step");
  give(Buffer.from("ready"));
  for (;;) {
    request = take(take(4).readUInt32LE());
    answer = [];
    step();
    give(Buffer.concat(answer));
  }
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
