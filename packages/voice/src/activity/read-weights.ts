import { readFile } from 'node:fs/promises';

/** Silero's network, version 5 (MIT). The package has it as an ONNX file with two networks: for 8,000 samples a second, then for 16,000. */
const path = new URL(import.meta.resolve('@ricky0123/vad-web/dist/silero_vad_v5.onnx'));

/** The numbers of the network for 8,000 samples a second, by name. */
export async function readWeights(): Promise<(name: string, numbers: number) => Float32Array> {
  const file = await readFile(path);
  return (name, numbers) => {
    // ONNX is a Protocol Buffer: a tensor has its name as field 8, and then its content as field 9.
    const field = Buffer.from([0x42, name.length, ...Buffer.from(name), 0x4a]);
    let at = file.indexOf(field) + field.length;
    let length = 0;
    for (let shift = 0, byte = 128; byte >= 128; shift += 7, at += 1) {
      byte = file[at] ?? 0;
      length |= (byte & 127) << shift;
    }
    if (length !== numbers * 4) throw new Error(`${name} of ${path.pathname} has ${length} bytes`);
    return new Float32Array(Uint8Array.from(file.subarray(at, at + length)).buffer);
  };
}
