import { decode, encode, frameBytes, lineRate } from './mu-law.ts';
import { createPlaybackQueue } from './playback-queue.ts';
import { createResampler } from './resample.ts';

// The members of AudioWorkletGlobalScope, which TypeScript's DOM library lacks.
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

const leadSeconds = 0.06;
const mostSeconds = 30;

/** Turns the microphone into frames of a telephone line, and such frames into sound. Loaded by `audioWorklet.addModule`. */
class TelephoneLine extends AudioWorkletProcessor {
  readonly #down = createResampler(sampleRate, lineRate);
  readonly #up = createResampler(lineRate, sampleRate);
  readonly #queue = createPlaybackQueue(sampleRate * leadSeconds, sampleRate * mostSeconds);
  #frame = new Uint8Array(frameBytes);
  #filled = 0;

  constructor() {
    super();
    this.port.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (data instanceof ArrayBuffer) {
        this.#queue.add(this.#up(Float32Array.from(new Uint8Array(data), decode)));
      } else if (data === 'clear') {
        this.#queue.clear();
      }
    });
    this.port.start();
  }

  process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const microphone = inputs[0]?.[0];
    if (microphone !== undefined) this.#send(this.#down(microphone));
    const [first, ...others] = outputs[0] ?? [];
    if (first !== undefined) {
      this.#queue.take(first);
      for (const other of others) other.set(first);
    }
    return true;
  }

  #send(samples: Float32Array): void {
    for (const sample of samples) {
      this.#frame[this.#filled] = encode(sample);
      this.#filled += 1;
      if (this.#filled < frameBytes) continue;
      this.port.postMessage(this.#frame.buffer, [this.#frame.buffer]);
      this.#frame = new Uint8Array(frameBytes);
      this.#filled = 0;
    }
  }
}

registerProcessor('outdial-telephone-line', TelephoneLine);
