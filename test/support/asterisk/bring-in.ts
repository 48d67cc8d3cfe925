import { findSpeech } from '../voice/find-speech.ts';
import { findTrunkPrograms } from './trunk-programs.ts';

/** Fetches Asterisk and sipp before the tests need them, so that these do not wait for it. */
const found = await findTrunkPrograms();
if (found.state === 'missing') {
  console.error(`There is no Asterisk: ${found.reason}`);
  process.exitCode = 1;
} else {
  console.log(`Asterisk in ${found.programs.system.root}, sipp in ${found.programs.sipp.command}`);
}

/** And what speaks and hears in the tests of conversations. */
const speech = await findSpeech();
if (speech.state === 'missing') {
  console.error(`There are no programs that speak and hear: ${speech.reason}`);
  process.exitCode = 1;
}
