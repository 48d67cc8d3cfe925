import type { Edit, MutationEntry } from './mutation.ts';

const installation = 'db/migrations/0001_base.ts';
const organizations = 'db/migrations/0002_organizations.ts';
const calls = 'db/migrations/0006_calls.ts';

const capsNotEnforced: readonly Edit[] = [installation, organizations].map((file) => ({
  file,
  find: 'new.lines_in_use > new.max_lines)',
  replace: 'new.lines_in_use > new.max_lines and false)',
}));
const campaignCapNotEnforced: Edit = {
  file: 'db/migrations/0005_campaigns.ts',
  find: 'if new.lines_in_use > coalesce(cap, 10) then',
  replace: 'if false then',
};
const capsIgnored: Edit = {
  file: 'packages/core/src/line-share.ts',
  find: '    if (lines >= take) continue;',
  replace: '    if (lines >= take || lines >= 0) continue;',
};

export const databaseMutations: readonly MutationEntry[] = [
  {
    name: 'number-not-unique',
    takesOut: 'the unique index on live numbers of an organization',
    caughtBy: 'numberInTwoCampaigns',
    file: calls,
    find: 'create unique index calls_one_live_per_number',
    replace: 'create index calls_one_live_per_number',
  },
  {
    name: 'recipient-not-unique',
    takesOut: 'the unique index on live calls of a recipient',
    caughtBy: 'oneLiveCallPerRecipient',
    file: calls,
    find: 'create unique index calls_one_live_per_recipient',
    replace: 'create index calls_one_live_per_recipient',
  },
  {
    name: 'attempt-not-unique',
    takesOut: 'the unique index on attempts',
    caughtBy: 'attemptsAreUnique',
    file: calls,
    find: 'create unique index calls_attempts',
    replace: 'create index calls_attempts',
  },
  {
    name: 'caps-not-enforced',
    takesOut: 'the triggers that refuse a line past its cap',
    caughtBy: 'databaseRefusesLines',
    edits: capsNotEnforced,
  },
  {
    name: 'campaign-cap-not-enforced',
    takesOut: 'the trigger that refuses a campaign a line past its cap',
    caughtBy: 'databaseRefusesLines',
    ...campaignCapNotEnforced,
  },
  {
    name: 'caps-ignored',
    takesOut: 'a dial takes no more lines than there are',
    caughtBy: 'linesAreCapped',
    ...capsIgnored,
  },
  {
    name: 'caps-ignored-and-not-enforced',
    takesOut: 'the dial and the triggers both enforce the caps',
    caughtBy: 'linesAreCapped',
    edits: [capsIgnored, ...capsNotEnforced, campaignCapNotEnforced],
  },
  {
    name: 'cap-set-uncounted',
    takesOut: 'setting a cap counts the lines in use',
    caughtBy: 'capSetMidway',
    edits: [installation, organizations].map((file) => ({
      file,
      find: 'when (new.max_lines is distinct from old.max_lines)',
      replace: 'when (false)',
    })),
  },
  {
    name: 'caps-not-kept',
    takesOut: 'a transaction that takes lines locks the caps until its commit',
    caughtBy: 'capSetMidway',
    file: 'db/src/lines/line-caps.ts',
    find: 'locks.lineCaps.share()',
    replace: 'sql`(1, 0)`',
  },
  {
    name: 'dial-without-lines',
    takesOut: 'a dial takes its lines in its own transaction',
    caughtBy: 'linesAreCapped',
    file: 'db/src/lines/capacity.ts',
    find: 'update organizations set lines_in_use = lines_in_use + ${count}',
    replace: 'update organizations set lines_in_use = lines_in_use + 0 * ${count}::int',
  },
];
