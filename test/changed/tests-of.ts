/**
 * Which tests on services `npm run test:changed` runs for a changed file: of all rows whose pattern its path matches, the tests (below `test/`, as
 * globs). Imports would choose nearly all of them, because a stack loads every package. What no row matches gets `representatives`.
 */
const rows: ReadonlyArray<readonly [pattern: RegExp, tests: readonly string[]]> = [
  [/webhook/, ['integration/webhooks/*', 'integration/guides/receivers.test.ts']],
  [/knowledge-base|extraction|storage/, ['integration/knowledge-base/*']],
  [/sheets|csv|import/, ['integration/wrong-inputs/*', 'integration/campaigns/create.test.ts']],
  [/caller-id/, ['integration/compliance/caller-id*']],
  [/scrub/, ['integration/{api,compliance}/scrub-lists.test.ts']],
  [/consent/, ['integration/{api,compliance}/consents.test.ts']],
  [/suppress|opt-out/, ['integration/api/suppressions.test.ts', 'integration/compliance/opt-outs.test.ts']],
  [
    /compliance|people|person|calling|disclosure|receipt|number-change/,
    ['integration/compliance/*', 'integration/people/*', 'integration/{api,engine}/calling-policy.test.ts'],
  ],
  [/gate(?!way)/, ['integration/engine/{gate*,rules-in-force,clock-set-back}.test.ts']],
  [
    /\b(retry|rounds?|step|outcome|progress|advance|attempts?|claims?)\b/,
    ['integration/engine/{schedule,failures,deleted-calls,retry-rule-in-sql,undone-*}.test.ts'],
  ],
  [
    /\b(lines?|slots?|pac(e|ing)|share|capacity|limits?|quotas?)\b/,
    [
      'integration/engine/{organization-share,organization-locks,woken-by-a-line,daily-quota}.test.ts',
      'integration/api/{transfer-lines,limits}.test.ts',
    ],
  ],
  [
    /\b(window|schedule|time|zones?|wall|local-|next)\b/,
    ['integration/engine/{schedule,simulated-campaign}.test.ts'],
  ],
  [
    /campaign|recipient/,
    ['integration/campaigns/*', 'integration/engine/{control,config,numbers,pause-beside-advance}.test.ts'],
  ],
  [/forecast|estimate/, ['integration/campaigns/{forecast,estimated-end,dry-run}.test.ts']],
  [/inbound/, ['integration/api/inbound-calls.test.ts']],
  [
    /\b(calls?|recordings?|hang)\b/,
    [
      'integration/api/{calls,counted-ends,direct-calls,recording,stored-recordings}.test.ts',
      'integration/engine/{direct-calls,deleted-calls,hang-up}.test.ts',
    ],
  ],
  [/sweep|repair|reconcile|^scheduler/, ['integration/engine/repair.test.ts']],
  [/queues|jobs|outbox|publish/, ['integration/queues/*', 'integration/engine/outbox.test.ts']],
  [/twilio/, ['integration/twilio/*', 'integration/provider-contract/twilio.test.ts']],
  [/gateway/, ['integration/gateway/*', 'integration/provider-contract/gateway.test.ts']],
  [/simulator|telephony\/[^/]*$/, ['integration/provider-contract/simulator.test.ts']],
  [
    /voice|listening/,
    ['integration/voice/*', 'integration/listening/*', 'integration/api/{lost-,}web-calls.test.ts'],
  ],
  [/^packages\/cli/, ['integration/cli/*', 'integration/wrong-inputs/cli.test.ts']],
  [/^packages\/(client|contracts)/, ['integration/client/*', 'integration/guides/guides.test.ts']],
  [/^packages\/mcp/, ['integration/mcp/*']],
  [/console|session|^api\/src\/pages/, ['integration/api/{console-*,pages*}']],
  [
    /^packages\/(runtime|service)|health|readi|main\.ts$/,
    ['integration/{readiness*,test-database}.test.ts', 'integration/api/{process,outage}.test.ts'],
  ],
  [/^packages\/local|^bin\//, ['e2e/start.test.ts']],
  [
    /^api\/src\/(http|routes)|contracts\/src\/http/,
    [
      'integration/api/{document,edge,every-operation,examples,foreign-organization,hostile-values,idempotency,requests,two-readings}.test.ts',
      'integration/wrong-inputs/rest.test.ts',
    ],
  ],
  [
    /agents|api-keys|auth|audit|key-set|organization|tags|usage|users/,
    ['integration/api/{agents*,authentication,audit-log,key-set,organization,users-and-keys}.test.ts'],
  ],
  [/waiting|metrics|watching|state/, ['integration/{waiting,watching}/*']],
  [
    /^db\/(migrations|src\/[^/]*$|src\/(schema|postgres))/,
    ['integration/{database,upgrade}/*', 'integration/engine/control.test.ts'],
  ],
];

const representatives = [
  'integration/engine/{control,schedule,repair}.test.ts',
  'integration/campaigns/status-and-config.test.ts',
  'integration/api/{requests,direct-calls}.test.ts',
  'integration/webhooks/told.test.ts',
];

/** Globs of the tests on services for one changed file of the product or of `test/support`. */
export function testsOf(file: string): string[] {
  const found = rows.filter(([pattern]) => pattern.test(file)).flatMap(([, tests]) => tests);
  return (found.length > 0 ? found : representatives).map((glob) => `test/${glob}`);
}

export const allMapped: readonly string[] = rows.flatMap(([, tests]) => tests.map((glob) => `test/${glob}`));
