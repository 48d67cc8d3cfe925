import { readFile } from 'node:fs/promises';
import { compileMultiplyAdd } from './multiply-add.ts';

/** How many samples the network judges at once: 32 ms. */
export const chunkSamples = 256;
/** Judges the next chunk of a line, from -1 to 1. Returns the probability of a voice. */
type ChunkJudge = (chunk: Float32Array) => number;

/** Samples of the last chunk that come before the next one, and those that are mirrored at its end. */
const [contextSamples, mirroredSamples] = [32, 64];
/** Each chunk has four spectra. */
const [windowSamples, stepSamples, spectra] = [128, 64, 4];
const bands = 65;
/** Rows have a multiple of eight numbers. */
const bandsInMemory = 72;
const memoryUnits = 128;
/** Takes three spectra, or results of the layer before, at once. */
const layers = [
  { inputs: bands, inMemory: bandsInMemory, outputs: 128, step: 1 },
  { inputs: 128, inMemory: 128, outputs: 64, step: 2 },
  { inputs: 64, inMemory: 64, outputs: 64, step: 2 },
  { inputs: 64, inMemory: 64, outputs: 128, step: 1 },
] as const;
/** 1.7 MB, of which half is used after the network is loaded. */
const pages = 32;

interface Vector {
  at: number;
  end: number;
  numbers: Float32Array;
}

/**
 * Loads Silero's network for telephone lines. It has a spectrum, four convolutions and an LSTM; ONNX Runtime would be 139 MB for the same result. All
 * calls of the process share the weights, and each has a memory of 256 numbers.
 */
export async function loadVoiceNetwork(): Promise<() => ChunkJudge> {
  const weights = await readWeights();
  const memory = new WebAssembly.Memory({ initial: pages });
  const multiplyAdd = await compileMultiplyAdd(memory);
  let free = 0;

  function vector(length: number): Vector {
    const at = free;
    free += length * 4;
    return { at, end: free, numbers: new Float32Array(memory.buffer, at, length) };
  }

  function stored(values: Float32Array): Vector {
    const place = vector(values.length);
    place.numbers.set(values);
    return place;
  }

  const samples = vector(contextSamples + chunkSamples + mirroredSamples);
  const waves = vector(bands * 2);
  const basis = stored(weights('stft.forward_basis_buffer', bands * 2 * windowSamples));
  const spectrum = Array.from({ length: spectra }, () => vector(bandsInMemory));
  const convolutions = layers.map(({ inputs, inMemory, outputs, step }, nth) => {
    const all = weights(`encoder.${nth}.reparam_conv.weight`, outputs * inputs * 3);
    const matrices = [0, 1, 2].map((tap) => {
      const matrix = vector(outputs * inMemory);
      for (let row = 0; row < outputs; row += 1) {
        for (let column = 0; column < inputs; column += 1) {
          matrix.numbers[row * inMemory + column] = all[(row * inputs + column) * 3 + tap] ?? 0;
        }
      }
      return matrix;
    });
    return { matrices, bias: weights(`encoder.${nth}.reparam_conv.bias`, outputs), outputs, step };
  });
  const results = [4, 2, 1, 1].map((length, nth) =>
    Array.from({ length }, () => vector(layers[nth]?.outputs ?? 0)),
  );
  const remembered = vector(memoryUnits);
  const gates = vector(memoryUnits * 4);
  const fromInput = stored(weights('decoder.rnn.weight_ih', memoryUnits * 4 * memoryUnits));
  const fromMemory = stored(weights('decoder.rnn.weight_hh', memoryUnits * 4 * memoryUnits));
  const recurrentBias = weights('decoder.rnn.bias_hh', memoryUnits * 4);
  const gateBias = weights('decoder.rnn.bias_ih', memoryUnits * 4).map(
    (value, index) => value + (recurrentBias[index] ?? 0),
  );
  const last = weights('decoder.decoder.2.weight', memoryUnits);
  const [lastBias = 0] = weights('decoder.decoder.2.bias', 1);

  function transform(): void {
    for (const [nth, { numbers }] of spectrum.entries()) {
      waves.numbers.fill(0);
      const from = samples.at + nth * stepSamples * 4;
      multiplyAdd(basis.at, from, from + windowSamples * 4, waves.at, waves.end);
      for (let band = 0; band < bands; band += 1) {
        numbers[band] = Math.hypot(waves.numbers[band] ?? 0, waves.numbers[bands + band] ?? 0);
      }
    }
  }

  function convolve(): Vector | undefined {
    let inputs: readonly Vector[] = spectrum;
    for (const [nth, { matrices, bias, step }] of convolutions.entries()) {
      const outputs = results[nth] ?? [];
      for (const [index, output] of outputs.entries()) {
        output.numbers.set(bias);
        for (const [tap, matrix] of matrices.entries()) {
          const input = inputs[index * step + tap - 1];
          if (input !== undefined) multiplyAdd(matrix.at, input.at, input.end, output.at, output.end);
        }
        for (const [unit, value] of output.numbers.entries()) output.numbers[unit] = Math.max(0, value);
      }
      inputs = outputs;
    }
    return inputs[0];
  }

  return () => {
    const context = new Float32Array(contextSamples);
    const hidden = new Float32Array(memoryUnits);
    const cell = new Float32Array(memoryUnits);
    return (chunk) => {
      const { numbers } = samples;
      numbers.set(context);
      numbers.set(chunk, contextSamples);
      context.set(chunk.subarray(chunkSamples - contextSamples));
      const end = contextSamples + chunkSamples;
      for (let nth = 0; nth < mirroredSamples; nth += 1) numbers[end + nth] = numbers[end - 2 - nth] ?? 0;
      transform();
      const features = convolve();
      if (features === undefined) return 0;
      remembered.numbers.set(hidden);
      gates.numbers.set(gateBias);
      multiplyAdd(fromInput.at, features.at, features.end, gates.at, gates.end);
      multiplyAdd(fromMemory.at, remembered.at, remembered.end, gates.at, gates.end);
      let output = lastBias;
      for (let unit = 0; unit < memoryUnits; unit += 1) {
        const gate = (nth: number) => gates.numbers[nth * memoryUnits + unit] ?? 0;
        const kept = sigmoid(gate(1)) * (cell[unit] ?? 0) + sigmoid(gate(0)) * Math.tanh(gate(2));
        cell[unit] = kept;
        const shown = sigmoid(gate(3)) * Math.tanh(kept);
        hidden[unit] = shown;
        output += (last[unit] ?? 0) * Math.max(0, shown);
      }
      return sigmoid(output);
    };
  };
}

const sigmoid = (value: number) => 1 / (1 + Math.exp(-value));

/** Silero's network, version 5 (MIT). The package has it as an ONNX file with two networks: for 8,000 samples a second, then for 16,000. */
const path = new URL(import.meta.resolve('@ricky0123/vad-web/dist/silero_vad_v5.onnx'));

/** The numbers of the network for 8,000 samples a second, by name. */
async function readWeights(): Promise<(name: string, numbers: number) => Float32Array> {
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
