import { findChromium } from './find-chromium.ts';

/** Downloads Chromium before the tests, so that the tests do not wait for it. */
const found = await findChromium();
if (found.state === 'missing') {
  console.error(`There is no Chromium: ${found.reason}`);
  process.exitCode = 1;
} else {
  console.log(`Chromium: ${found.program.command}`);
}
