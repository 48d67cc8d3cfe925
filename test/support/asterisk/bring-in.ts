import { findTrunkPrograms } from './trunk-programs.ts';

/** Fetches Asterisk and sipp before the tests need them, so that these do not wait for it. */
const found = await findTrunkPrograms();
if (found.state === 'missing') {
  console.error(`There is no Asterisk: ${found.reason}`);
  process.exitCode = 1;
} else {
  console.log(`Asterisk in ${found.programs.system.root}, sipp in ${found.programs.sipp.command}`);
}
