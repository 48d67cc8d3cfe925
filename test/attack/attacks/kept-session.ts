import type { Attack } from '../attack.ts';

const own = { 'X-Outdial-Console': '1', 'Content-Type': 'application/json' };

export const keptSession: Attack = {
  name: 'kept-session',
  does: 'somebody who has read the cookie of a browser uses it after the next sign-in of that browser',
  async begin({ api, attacker }) {
    const signIn = async (cookie: string) => {
      const answer = await fetch(`${api.url}/console/session`, {
        method: 'POST',
        headers: { ...own, ...(cookie !== '' && { cookie }) },
        body: JSON.stringify({ api_key: attacker.keys.viewer }),
      });
      return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    };
    const isOpen = async (cookie: string) =>
      (await fetch(`${api.url}/api/v1/campaigns?size=1`, { headers: { cookie } })).status === 200;
    let kept = 0;
    let opened = 0;
    return {
      async send() {
        const earlier = await signIn('');
        const later = await signIn(earlier);
        if (await isOpen(earlier)) kept += 1;
        if (await isOpen(later)) opened += 1;
      },
      figures: async () => [
        { what: 'earlier sessions that still open', measured: kept, unit: '', atMost: 0 },
        { what: 'new sessions that open', measured: opened, unit: '', atLeast: 1 },
      ],
    };
  },
  isLight: true,
  perSecond: 5,
  withoutProtection: [
    {
      file: 'db/src/sessions/sessions.ts',
      find: 'if (session.replaces !== null) {',
      replace: 'if (session.replaces !== null && session.expiresAt < session.now) {',
    },
  ],
};
