// Runs a Python script in the real MicroPython VM, with the firmware in /lib.
// usage: node vm.mjs <folder of lumiban_fw> <script.py>
import fs from "node:fs";
import path from "node:path";
import { loadMicroPython } from "../../../host/lumiban/web/node_modules/@micropython/micropython-webassembly-pyscript/micropython.mjs";

const [, , firmware, script] = process.argv;
const vm = await loadMicroPython({
  heapsize: 256 * 1024,
  linebuffer: false,
  stdout: (bytes) => fs.writeSync(1, Buffer.from(bytes)),
});
vm.FS.mkdirTree("/lib/lumiban_fw");
for (const name of fs.readdirSync(firmware)) {
  if (name.endsWith(".py")) {
    vm.FS.writeFile(`/lib/lumiban_fw/${name}`, fs.readFileSync(path.join(firmware, name)));
  }
}
// Scripts may import what stands beside them.
for (const name of fs.readdirSync(path.dirname(script))) {
  if (name.endsWith(".py")) {
    vm.FS.writeFile(`/lib/${name}`, fs.readFileSync(path.join(path.dirname(script), name)));
  }
}
try {
  vm.runPython(fs.readFileSync(script, "utf8"));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
