// Hosts the MicroPython VM: each request on stdin (u32 length, body) is one step of the firmware.
// usage: node host.mjs <folder of lumiban_fw> <port.py> <module of the VM> <heap in bytes>
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [, , firmware, port, module, heap] = process.argv;
const { loadMicroPython } = await import(pathToFileURL(module));
let request = Buffer.alloc(0);
let answer = [];

const vm = await loadMicroPython({
  heapsize: Number(heap),
  linebuffer: false,
  stdout: (bytes) => fs.writeSync(2, Buffer.from(bytes)),
});
const device = vm.FS.makedev(64, 0);
vm.FS.registerDevice(device, {
  open(stream) {
    stream.seekable = false;
  },
  read(stream, buffer, offset, length) {
    const n = Math.min(length, request.length);
    buffer.set(request.subarray(0, n), offset);
    request = request.subarray(n);
    return n;
  },
  write(stream, buffer, offset, length) {
    answer.push(Buffer.from(buffer.slice(offset, offset + length)));
    return length;
  },
});
vm.FS.mkdev("/dev/host", 0o666, device);
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

function give(body) {
  const whole = Buffer.alloc(4 + body.length);
  whole.writeUInt32LE(body.length);
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
