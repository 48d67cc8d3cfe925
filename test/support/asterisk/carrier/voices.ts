/** Bursts of sound that answering machine detection takes for speech: G.711 µ-law, 8,000 samples a second. */

/** "Hello?", and then a pause before more speech, like a person. */
export function humanVoice(): Buffer {
  return Buffer.concat([tone(300), silence(1_200), tone(10_000)]);
}

/** "You have reached the voicemail of …": one long greeting. */
export function machineVoice(): Buffer {
  return tone(10_000);
}

const samplesPerMs = 8;

function silence(ms: number): Buffer {
  return Buffer.alloc(ms * samplesPerMs, 0xff);
}

function tone(ms: number): Buffer {
  return Buffer.from(
    Array.from({ length: ms * samplesPerMs }, (_, at) =>
      muLaw(Math.round(9_000 * Math.sin((at * 2 * Math.PI * 440) / 8_000))),
    ),
  );
}

/** As in the reference implementation of ITU-T G.711. */
function muLaw(sample: number): number {
  const bias = 0x84;
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), 32_635) + bias;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}
