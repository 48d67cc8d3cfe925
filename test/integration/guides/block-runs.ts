/** The test that runs a block of a page, or why none can. */
export type BlockRun = { by: string } | { cannot: string };

const guides: BlockRun = { by: 'test/integration/guides/guides.test.ts' };
const pages: BlockRun = { by: 'test/integration/guides/pages.test.ts' };
const strict: BlockRun = { by: 'test/integration/guides/strict.test.ts' };
const receivers: BlockRun = { by: 'test/integration/guides/receivers.test.ts' };
const failover: BlockRun = { by: 'test/chaos/run/failover.ts' };
const emptyClone: BlockRun = { by: 'test/steps/empty-clone.ts' };
const compose: BlockRun = {
  cannot: 'needs Docker; test/ops/compose/try.sh runs the same steps where it is there',
};
const carrier: BlockRun = { cannot: 'needs an account or an Asterisk, which its variables name' };
const models: BlockRun = { cannot: 'needs a hosted model, or one of some gigabytes' };

/** Every block of every page. A block that is in no test has its reason here. */
export const blockRuns: Readonly<Record<string, BlockRun>> = {
  'README.md#1': emptyClone,
  'README.md#2': emptyClone,
  'CONTRIBUTING.md#1': {
    cannot: 'chooses tests by what the clone has changed; test/changed has tests of the choice',
  },
  'api/src/README.md#1': strict,
  'packages/client/README.md#1': strict,
  'docs/asterisk.md#1': carrier,
  'docs/asterisk.md#2': pages,
  'docs/asterisk.md#3': pages,
  'docs/compliance.md#1': pages,
  'docs/compliance.md#2': pages,
  'docs/compliance.md#3': pages,
  'docs/compliance.md#4': pages,
  'docs/compliance.md#5': pages,
  'docs/compliance.md#6': pages,
  'docs/compliance.md#7': { by: 'test/integration/compliance/receipt-seals.test.ts' },
  'docs/guides/exporting.md#1': guides,
  'docs/guides/exporting.md#2': guides,
  'docs/guides/first-campaign.md#1': guides,
  'docs/guides/first-campaign.md#2': guides,
  'docs/guides/first-campaign.md#3': guides,
  'docs/guides/first-campaign.md#4': guides,
  'docs/guides/first-campaign.md#5': guides,
  'docs/guides/following.md#1': guides,
  'docs/guides/following.md#2': guides,
  'docs/guides/following.md#3': guides,
  'docs/guides/following.md#4': guides,
  'docs/guides/retrying.md#1': guides,
  'docs/guides/retrying.md#2': guides,
  'docs/guides/stopping.md#1': guides,
  'docs/guides/stopping.md#2': guides,
  'docs/guides/stopping.md#3': guides,
  'docs/guides/stopping.md#4': guides,
  'docs/guides/stopping.md#5': guides,
  'docs/mcp.md#1': pages,
  'docs/operations/backup-and-upgrade.md#1': {
    cannot: 'needs the client programs of Postgres 18; test/integration/restore restores such a dump',
  },
  'docs/operations/compose.md#1': compose,
  'docs/operations/compose.md#2': pages,
  'docs/operations/compose.md#3': compose,
  'docs/operations/compose.md#4': compose,
  'docs/operations/kubernetes.md#1': {
    cannot: 'needs a cluster; test/ops/check renders the chart and validates it',
  },
  'docs/operations/postgres-and-redis.md#1': failover,
  'docs/operations/postgres-and-redis.md#2': failover,
  'docs/operations/secrets.md#1': compose,
  'docs/operations/secrets.md#2': compose,
  'docs/promises.md#1': { cannot: 'takes half an hour; .ci/run and npm run long run these commands' },
  'docs/provider-protocol.md#1': {
    cannot: 'serves until it is stopped; test/integration/gateway runs this gateway and calls over it',
  },
  'docs/provider-protocol.md#2': {
    cannot: 'serves until it is stopped; test/e2e/start.test.ts runs npm start',
  },
  'docs/twilio.md#1': carrier,
  'docs/twilio.md#2': pages,
  'docs/twilio.md#3': pages,
  'docs/twilio.md#4': pages,
  'docs/voice.md#1': models,
  'docs/voice.md#2': pages,
  'docs/voice.md#3': {
    cannot:
      'needs a model that holds a conversation; test/integration/voice/agent-commands.test.ts runs the command',
  },
  'docs/voice.md#4': models,
  'docs/voice.md#5': models,
  'docs/voice.md#6': pages,
  'docs/web-calls.md#1': strict,
  'docs/webhooks.md#1': pages,
  'docs/webhooks.md#2': receivers,
  'docs/webhooks.md#3': receivers,
};
