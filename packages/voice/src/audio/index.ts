export { keyTones } from './key-tones.ts';
export { frameBytes, fromMuLaw, lineRate, silentByte, toMuLaw } from './mu-law.ts';
export { createResampler } from './resampler.ts';
export { createSampleReader, wavFile } from './samples.ts';
