import { api, type Schemas } from '../../data/api.ts';
import { useSession } from '../../data/session.ts';
import { useList } from '../../data/use-list.ts';
import { Card, Empty } from '../../ui/basics.tsx';
import { ListTable } from '../../ui/list-table.tsx';
import { withCapital } from '../../words/with-capital.ts';
import { dateAndTime } from '../../words/dates.ts';

type Entry = Schemas['AuditLogEntry'];

export function AuditLog() {
  const { organization } = useSession();
  const log = useList<Entry>(
    (after) => api.GET('/api/v1/audit-log', { params: { query: { limit: 50, ...after } } }),
    [],
  );
  return (
    <Card title="Audit log" flush>
      <ListTable
        of={log}
        lines={6}
        caption="Audit log"
        head={['Time', 'User', 'Action', 'Object', 'Changes', 'Address']}
        empty={<Empty icon="documents" title="No changes yet" />}
      >
        {(entry) => (
          <tr key={entry.id}>
            <td class="when">{dateAndTime(entry.created_at, { timeZone: organization.timezone })}</td>
            <td>{whoOf(entry)}</td>
            <td>{withCapital(wordsOf(entry.action))}</td>
            <td>{entry.target === null ? '' : withCapital(entry.target.type.replaceAll('_', ' '))}</td>
            <td>{changedOf(entry)}</td>
            <td class="mono">{entry.ip ?? ''}</td>
          </tr>
        )}
      </ListTable>
    </Card>
  );
}

function whoOf({ actor }: Entry): string {
  if (actor.type === 'operator') return `operator ${actor.name ?? ''}`.trim();
  return `${actor.first_name ?? ''} ${actor.last_name ?? ''}`.trim();
}

/** `setCampaignStatus` → `set campaign status`. */
function wordsOf(action: string): string {
  return action.replaceAll(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  );
}

function changedOf({ changes, fields }: Entry): string {
  const changed = Object.entries(changes).map(([name, { before, after }]) =>
    before === undefined || before === null ? name : `${name}: ${short(before)} → ${short(after)}`,
  );
  return [...changed, ...fields.filter((name) => !(name in changes))].join(', ');
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
