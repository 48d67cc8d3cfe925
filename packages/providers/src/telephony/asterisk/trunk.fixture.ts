import type { AriAnswer, AriClient } from './ari-client.ts';
import { type AsteriskSettings, asteriskSettings } from './settings.ts';

/** The settings of a trunk. */
export function trunkSettings(settings: Record<string, unknown> = {}): AsteriskSettings {
  const made = asteriskSettings(
    { name: 'trunk', settings: { endpoint: 'PJSIP/{number}@trunk', runtime: 'talk@agents', ...settings } },
    { url: 'http://127.0.0.1:8088/', user: 'outdial', password: 'secret' },
    {},
  );
  if (made === null) throw new Error('no settings');
  return made;
}

/** An Asterisk that answers requests like this. By default, all of them succeed. */
export const fakeAri = (
  ask: AriClient['ask'] = () => Promise.resolve<AriAnswer>({ kind: 'done', status: 204, body: null }),
): AriClient => ({
  authorization: '',
  ask,
  open: () => Promise.reject(new Error('nothing is opened')),
});
