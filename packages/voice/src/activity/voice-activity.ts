import { chunkSamples, loadVoiceNetwork } from './voice-network.ts';

export interface VoiceActivity {
  /** A frame of 20 ms. */
  isVoice(samples: Int16Array): boolean;
  /** The voice of the last frame is much quieter than the person's usual voice: others talk in the background. */
  isFar(): boolean;
}

/** Anything quieter is line noise: about -50 dB of full scale. */
const leastLoudness = 100;
/** After this time without anything louder, the network is not asked: a quiet line costs nothing. */
const quietAfterSamples = 2_400;
/** A voice begins at the first probability and goes on down to the second. At 0.5, people in the background are taken for the person. */
const [beginsAt, goesOnAt] = [0.7, 0.55];

/** The share of the person's usual energy below which a voice is another's: seven decibels. */
const leastShare = 10 ** (-7 / 10);
/** The loudness of a voice is that of about 100 ms. */
const smoothing = 0.8;
/** The usual loudness is that of the last three seconds of the person's voice. */
const usualFrames = 150;
/** How many times slower it follows quieter voices, in case the person speaks lower. */
const slowness = 10;

function createDistance() {
  let energy = 0;
  let usual = 0;
  let voicedFrames = 0;
  const isFar = () => voicedFrames > 0 && energy < usual * leastShare;
  return {
    isFar,
    take(loudness: number, isVoice: boolean) {
      energy = smoothing * energy + (1 - smoothing) * loudness ** 2;
      if (!isVoice) return;
      voicedFrames = Math.min(voicedFrames + 1, usualFrames);
      usual += (loudness ** 2 - usual) / (isFar() ? usualFrames * slowness : voicedFrames);
    },
  };
}

/** Loads Silero's detector. All calls of the process share its weights. */
export async function loadVoiceActivity(): Promise<() => VoiceActivity> {
  const createJudge = await loadVoiceNetwork();
  return () => {
    const judge = createJudge();
    const chunk = new Float32Array(chunkSamples);
    let filled = 0;
    let quietSamples = quietAfterSamples;
    let isVoice = false;
    const distance = createDistance();

    function judgeChunk(): void {
      if (quietSamples >= quietAfterSamples) isVoice = false;
      else isVoice = judge(chunk) >= (isVoice ? goesOnAt : beginsAt);
    }

    return {
      isVoice(samples) {
        const loud = loudness(samples);
        const isLoud = loud >= leastLoudness;
        quietSamples = isLoud ? 0 : quietSamples + samples.length;
        for (const sample of samples) {
          chunk[filled] = sample / 32_768;
          filled += 1;
          if (filled < chunkSamples) continue;
          filled = 0;
          judgeChunk();
        }
        distance.take(loud, isVoice && isLoud);
        return isVoice && isLoud;
      },
      isFar: distance.isFar,
    };
  };
}

/** The root of the mean square. */
function loudness(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / samples.length);
}
