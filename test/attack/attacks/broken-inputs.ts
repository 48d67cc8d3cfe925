import { createRandom } from '../../chaos/random.ts';
import { KnownIds } from '../../fuzz/known-ids.ts';
import { fuzzTargets } from '../../fuzz/operations.ts';
import { sendRaw } from '../../fuzz/raw-request.ts';
import { readDocument } from '../../fuzz/read-document.ts';
import type { Attack } from '../attack.ts';
import { openTenant } from '../tenant.ts';
import { operators, signing } from '../world.ts';

export const brokenInputs: Attack = {
  name: 'broken-inputs',
  does: 'a tenant sends every operation what `npm run fuzz` makes: NUL, invalid numbers, corrupt compression, odd headers',
  async begin({ api, db }) {
    const url = new URL(api.url);
    // A separate tenant, because this attack deletes data that the other attacks need.
    const tenant = await openTenant(db, api.url);
    const random = createRandom(Math.floor(Math.random() * 2 ** 31));
    const ids = new KnownIds(random);
    ids.add('agent_id', tenant.agentId);
    const [first, ...others] = fuzzTargets({
      random,
      document: await readDocument(url),
      ids,
      signing,
      operators: { user: operators.OPS_USER, password: operators.OPS_PASSWORD },
      gateway: { name: 'none', secret: Buffer.from('none').toString('base64') },
    });
    if (first === undefined) throw new Error('the document has no operations');
    let failures = 0;
    let turn = 0;
    return {
      async send() {
        turn += 1;
        // Inputs that once caused a 500. A short random run might not generate them.
        if (turn % 5 === 0) {
          const known = await tenant.send('POST /api/v1/knowledge-base', {
            json: { name: 'NUL \u0000', description: 'Half a pair \ud800' },
          });
          if (known.status === 500) failures += 1;
          return;
        }
        const request = random.pick([first, ...others]).make(tenant);
        const { status, body } = await sendRaw(url, request, 20_000);
        if (status === 200) ids.read(request.target, body);
        if (status === 500) failures += 1;
      },
      figures: async () => [{ what: 'answers of 500', measured: failures, unit: 'requests', atMost: 0 }],
    };
  },
  withoutProtection: [
    {
      file: 'api/src/http/unstorable.ts',
      find: 'if (!suspicious.test(text)) return null;',
      replace: 'if (text !== "?") return null;',
    },
  ],
};
