import { useRoute } from 'preact-iso/router';
import type { FunctionComponent } from 'preact';
import type { Role } from '../../data/api.ts';
import { mayDo, useSession } from '../../data/session.ts';
import { Empty, Head, Tabs } from '../../ui/basics.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { AuditLog } from './audit-log.tsx';
import { CallerIds } from './caller-ids.tsx';
import { Disclosures } from './disclosures.tsx';
import { Keys } from './keys.tsx';
import { OrganizationSettings } from './settings.tsx';
import { Suppressions } from './suppressions.tsx';
import { UsageOfDays } from './usage.tsx';
import { Users } from './users.tsx';
import { Webhooks } from './webhooks.tsx';

const parts: ReadonlyArray<{ key: string; text: string; least: Role; part: FunctionComponent }> = [
  { key: 'usage', text: 'Usage', least: 'viewer', part: UsageOfDays },
  { key: 'suppressions', text: 'Never call', least: 'viewer', part: Suppressions },
  { key: 'caller-ids', text: 'Caller ids', least: 'viewer', part: CallerIds },
  { key: 'disclosures', text: 'Disclosures', least: 'viewer', part: Disclosures },
  { key: 'settings', text: 'Settings', least: 'viewer', part: OrganizationSettings },
  { key: 'webhooks', text: 'Webhooks', least: 'manager', part: Webhooks },
  { key: 'users', text: 'Users', least: 'admin', part: Users },
  { key: 'keys', text: 'API keys', least: 'admin', part: Keys },
  { key: 'audit-log', text: 'Audit log', least: 'admin', part: AuditLog },
];

/** The screens of the organization that the role may see. */
export function Organization() {
  const { params } = useRoute();
  const { organization, role } = useSession();
  useTitle(organization.name);
  const offered = parts.filter(({ least }) => mayDo(role, least));
  const current = params['part'] ?? 'usage';
  const Part = offered.find(({ key }) => key === current)?.part;
  return (
    <>
      <Head title={organization.name}>
        <p class="hint">Times are those of {organization.timezone}.</p>
      </Head>
      <Tabs
        label="Organization"
        current={`/console/organization/${current}`}
        tabs={offered.map(({ key, text }) => ({ href: `/console/organization/${key}`, text }))}
      />
      {Part === undefined ? <Empty icon="block" title="Your role cannot open this page" /> : <Part />}
    </>
  );
}
