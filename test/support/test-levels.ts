/**
 * The levels of tests: `npm test` runs the files that are named nowhere here. `.ci/run` adds `ciFiles`, and `npm run long` adds `longFiles`. Each level
 * also takes larger samples (full-run.ts). A file or folder that is named on the command line runs at every level.
 */
export const level = process.env['OUTDIAL_TEST_LEVEL'] ?? 'quick';

/**
 * Conversations in real time, calls that wait at Twilio, the trunk, races, how lines are shared, outages, locks of migrations, roles of servers that change, long lists, hostile
 * documents, the commands and types of the pages, and the console in a browser. They take longer than all others together. For each, `npm test` has a quicker file with the ordinary cases.
 */
export const ciFiles: readonly string[] = [
  'packages/core/src/compliance/every-place.test.ts',
  'packages/providers/src/extraction/linear-time.test.ts',
  'test/acceptance/spreadsheet-campaign.test.ts',
  'test/acceptance/traces.test.ts',
  'test/browser/caller-ids.test.ts',
  'test/browser/campaign.test.ts',
  'test/browser/first-view.test.ts',
  'test/browser/screens.test.ts',
  'test/browser/settings.test.ts',
  'test/browser/sign-in.test.ts',
  'test/browser/web-call.test.ts',
  'test/integration/api/heavy-lists.test.ts',
  'test/integration/api/races.test.ts',
  'test/integration/asterisk/adapter.test.ts',
  'test/integration/asterisk/call-id.test.ts',
  'test/integration/asterisk/media-websocket.test.ts',
  'test/integration/campaigns/long-campaigns.test.ts',
  'test/integration/compliance/calling-rules.test.ts',
  'test/integration/engine/campaign-counts.test.ts',
  'test/integration/engine/line-caps.test.ts',
  'test/integration/engine/organization-share.test.ts',
  'test/integration/gateway/breaker.test.ts',
  'test/integration/guides/pages.test.ts',
  'test/integration/guides/strict.test.ts',
  'test/integration/knowledge-base/fairness.test.ts',
  'test/integration/knowledge-base/workers.test.ts',
  'test/integration/mcp/package.test.ts',
  'test/integration/provider-contract/asterisk.test.ts',
  'test/integration/queues-demoted.test.ts',
  'test/integration/queues-frozen.test.ts',
  'test/integration/queues-outage.test.ts',
  'test/integration/queues/evictions.test.ts',
  'test/integration/readiness.test.ts',
  'test/integration/restore/restore.test.ts',
  'test/integration/twilio/forbidden-while-queued.test.ts',
  'test/integration/twilio/interrupted.test.ts',
  'test/integration/twilio/opt-outs-at-twilio.test.ts',
  'test/integration/twilio/queued-calls.test.ts',
  'test/integration/database/migrate.test.ts',
  'test/integration/database/several-hosts.test.ts',
  'test/integration/voice/bad-line.test.ts',
  'test/integration/voice/inbound-call.test.ts',
  'test/integration/voice/keys.test.ts',
  'test/integration/voice/killed-process.test.ts',
  'test/integration/voice/live-recognizer.test.ts',
  'test/integration/voice/on-the-line.test.ts',
  'test/integration/voice/realtime.test.ts',
  'test/integration/voice/twilio-stream.test.ts',
  'test/integration/voice/warm-transfer.test.ts',
  'test/integration/voice/whole-call.test.ts',
  'test/integration/waiting/outages.test.ts',
  'test/integration/watching/alerts.test.ts',
];

/** What these find is in their length: many rounds, many kills, many documents, many calls at once. */
export const longFiles: readonly string[] = [
  'test/e2e/interrupted-start.test.ts',
  'test/integration/asterisk/campaign.test.ts',
  'test/integration/asterisk/event-connections.test.ts',
  'test/integration/asterisk/hosts.test.ts',
  'test/integration/embedded-postgres.test.ts',
  'test/integration/engine/overlapping-at-full-speed.test.ts',
  'test/integration/engine/paces.test.ts',
  'test/integration/knowledge-base/fuzz.test.ts',
  'test/integration/knowledge-base/isolation.test.ts',
  'test/integration/pgbouncer.test.ts',
  'test/integration/rest.test.ts',
  'test/integration/voice/library-over-twilio.test.ts',
];

const leftOutAt: Readonly<Record<string, readonly string[]>> = {
  quick: [...ciFiles, ...longFiles],
  ci: longFiles,
  long: [],
};

/** The files that a run at this level excludes, as globs of Vitest. `words` are those of the command line. */
export function filesLeftOut(at: string, words: readonly string[]): readonly string[] {
  const left = leftOutAt[at];
  if (left === undefined) {
    throw new Error(`OUTDIAL_TEST_LEVEL is one of ${Object.keys(leftOutAt).join(', ')}, not ${at}`);
  }
  // The value of an option names no file: `--project e2e` would bring every file of that folder.
  const named = words.filter((word, n) => /[/.]/.test(word) || !words[n - 1]?.startsWith('-'));
  return left.filter((file) => !named.some((word) => file.includes(word) || word.endsWith(file)));
}
