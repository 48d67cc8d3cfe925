import { findSpeech } from '../voice/find-speech.ts';
import { findTrunkPrograms } from './trunk-programs.ts';

/** Downloads Asterisk and sipp before the tests, so that the tests do not wait for them. */
const found = await findTrunkPrograms();
if (found.state === 'missing') {
  console.error(`There is no Asterisk: ${found.reason}`);
  process.exitCode = 1;
} else {
  console.log(`Asterisk in ${found.programs.system.root}, sipp in ${found.programs.sipp.command}`);
}

/** Also downloads the speech programs for the tests of conversations. */
const speech = await findSpeech();
if (speech.state === 'missing') {
  console.error(`There are no speech programs: ${speech.reason}`);
  process.exitCode = 1;
}
