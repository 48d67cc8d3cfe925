import fvad from '@echogarden/fvad-wasm';
import { frameBytes, lineRate } from '../audio/mu-law.ts';
import { createNoiseFloor } from './noise-floor.ts';

/** Detects voice in the frames of one call. */
export interface VoiceActivity {
  /** A frame of 20 ms. */
  isVoice(samples: Int16Array): boolean;
  close(): void;
}

/** libfvad's aggressiveness, from 0 to 3. A detector at 3 takes the least for a voice. */
const mode = 3;
/** Anything quieter is line noise: about -50 dB of full scale. */
const leastLoudness = 100;
/** A voice is at least five decibels louder than the noise of its line. */
const leastOverNoise = 1.8;

/** Loads WebRTC's detector: 35 kB of WebAssembly, whose memory all calls of the process share. */
export async function loadVoiceActivity(): Promise<() => VoiceActivity> {
  const module = await fvad();
  const make = module.cwrap('fvad_new', 'number', []);
  const free = module.cwrap('fvad_free', 'number', ['number']);
  const setMode = module.cwrap('fvad_set_mode', 'number', ['number', 'number']);
  const setRate = module.cwrap('fvad_set_sample_rate', 'number', ['number', 'number']);
  /** Returns 1 for voice, 0 for none, and -1 for an unsupported length. */
  const judge = module.cwrap('fvad_process', 'number', ['number', 'number', 'number']);
  const buffer = module.cwrap('malloc', 'number', ['number'])(frameBytes * 2);
  return () => {
    const detector = make();
    setMode(detector, mode);
    setRate(detector, lineRate);
    // The detector mistakes loud steady noise for a voice, and a turn would never end.
    const noise = createNoiseFloor();
    return {
      isVoice(samples) {
        if (samples.length !== frameBytes) return false;
        // Read each time, because the heap is replaced as it grows.
        module.HEAP16.set(samples, buffer / 2);
        const isVoice = judge(detector, buffer, frameBytes) === 1;
        const loud = loudness(samples);
        const isOverNoise = noise.take(loud) >= leastOverNoise;
        return isVoice && isOverNoise && loud >= leastLoudness;
      },
      close: () => void free(detector),
    };
  };
}

/** The root of the mean square. */
function loudness(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / samples.length);
}
