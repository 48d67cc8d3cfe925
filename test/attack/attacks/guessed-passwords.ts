import type { Attack } from '../attack.ts';

/** The mistakes that an operator may make in a minute, and the requests that were already in flight. */
const freePerMinute = 10;

export const guessedPasswords: Attack = {
  name: 'guessed-passwords',
  does: 'a stranger guesses the password of operators',
  async begin({ api }) {
    const startedAt = performance.now();
    let guesses = 0;
    let quick = 0;
    return {
      async send() {
        const guess = Buffer.from(`operator:guess-${guesses++}`).toString('base64');
        const askedAt = performance.now();
        const answer = await fetch(`${api.url}/metrics`, { headers: { Authorization: `Basic ${guess}` } });
        await answer.body?.cancel();
        if (answer.status === 401 && performance.now() - askedAt < 900) quick += 1;
      },
      async figures() {
        const minutes = Math.ceil((performance.now() - startedAt) / 60_000) + 1;
        return [
          {
            what: 'guesses that were answered without a delay',
            measured: quick,
            unit: 'requests',
            atMost: freePerMinute * minutes,
          },
        ];
      },
    };
  },
  withoutProtection: [
    {
      file: 'api/src/http/only-operators.ts',
      find: 'if (req.headers.authorization !== undefined) await slowDown(failed, req);',
      replace: 'void failed;',
    },
  ],
};
