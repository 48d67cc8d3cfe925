/**
 * Sends the service what it does not expect: every operation of the document, every header that is read, events and pages of operators.
 *
 *     npm run fuzz -- [--requests N] [--seed N] [--only OPERATION] [--files N]
 *
 * Fails where an answer is a 500, where none comes, where a process ends, or where a job fails that took what was accepted. Then the files of
 * the command line, `--files` of each kind. The seed is printed; with it the same requests are made again, as far as their order allows.
 */
import { parseArgs } from 'node:util';
import { createRandom } from '../chaos/random.ts';
import { fuzzFiles } from './cli-files.ts';
import { fuzzRequests } from './fuzz-requests.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    files: { type: 'string', default: '500' },
    seed: { type: 'string' },
    only: { type: 'string' },
  },
});
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
console.log(`seed ${seed}`);
const random = createRandom(seed);

const found = [
  ...(await fuzzRequests(random, { requests: Number(values.requests), only: values.only })),
  ...(await fuzzFiles(random, { ofEachKind: Number(values.files) })),
];
console.log(found.length === 0 ? 'nothing was found' : `${found.length} found`);
process.exitCode = found.length === 0 ? 0 : 1;
