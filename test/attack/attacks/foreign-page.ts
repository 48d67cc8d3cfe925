import type { Attack } from '../attack.ts';
import { operators } from '../world.ts';

export const foreignPage: Attack = {
  name: 'foreign-page',
  does: 'a page of another origin has an operator’s browser change the queues',
  async begin({ api }) {
    const basic = Buffer.from(`${operators.OPS_USER}:${operators.OPS_PASSWORD}`).toString('base64');
    const pages = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
    ];
    let turn = 0;
    let passed = 0;
    return {
      async send() {
        const page = pages[turn++ % pages.length] ?? {};
        const answer = await fetch(`${api.url}/ops/queues/api/queues/place-call/pause`, {
          method: 'PUT',
          headers: { Authorization: `Basic ${basic}`, ...page },
        });
        await answer.body?.cancel();
        if (answer.status !== 403) passed += 1;
      },
      figures: async () => [
        { what: 'requests of the page that passed', measured: passed, unit: 'requests', atMost: 0 },
      ],
    };
  },
  withoutProtection: [
    {
      file: 'api/src/http/same-origin.ts',
      find: 'if (safeMethods.has(req.method) || isOwn(req.headers)) {',
      replace: 'if (safeMethods.has(req.method) || isOwn(req.headers) || req.method !== "") {',
    },
  ],
};
