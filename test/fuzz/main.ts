/**
 * Sends the service unexpected requests: to every operation of the OpenAPI document, with every header that the service reads, to the pages of
 * operators, and to the endpoint for provider events. Then runs the command line on hostile files, `--files` of each kind.
 *
 * npm run fuzz -- [--requests N] [--seed N] [--only OPERATION] [--files N]
 *
 * Fails if an answer is a 500, if no answer comes, if a process ends, or if the job of an accepted request fails. Prints the seed, which repeats the
 * requests as far as they do not depend on the order of answers.
 */
import { parseArgs } from 'node:util';
import { createRandom } from '../chaos/random.ts';
import { repeatLine } from '../steps/repeat.ts';
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
console.log(found.length === 0 ? 'nothing was found' : `${found.length} found:`);
for (const line of found) console.log(`  ${line}`);
if (found.length > 0) {
  const only = values.only === undefined ? '' : ` --only ${values.only}`;
  const { requests, files } = values;
  console.log(repeatLine(`npm run fuzz -- --seed ${seed} --requests ${requests} --files ${files}${only}`));
}
process.exitCode = found.length === 0 ? 0 : 1;
