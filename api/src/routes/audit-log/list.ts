import { type AuditLogEntry, auditLogEntry, auditLogQuery, rolesFrom } from '@outdial/contracts';
import { byInstant, type AuditLogRow, listAuditLog as listRows } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';

export const listAuditLog = defineList(
  {
    path: '/api/v1/audit-log',
    operationId: 'listAuditLog',
    summary: 'Read the audit log, newest first',
    description:
      'Every change through the API and every operator command adds an entry, in the same transaction as the change. Entries are never changed or deleted.',
    tag: 'organization',
    roles: rolesFrom('admin'),
    query: auditLogQuery,
    item: auditLogEntry,
    rowBytesAtMost: 256 * 1024,
  },
  async ({ organizationId, query, page }, { db }) => ({
    rows: await listRows(db, {
      organizationId,
      filters: {
        action: query.action,
        userId: query.user_id,
        targetId: query.target_id,
        from: query.from,
        to: query.to,
      },
      page,
    }),
    position: byInstant,
    view: entryView,
  }),
);

function entryView(row: AuditLogRow): AuditLogEntry {
  return {
    id: row.id,
    created_at: row.created_at.toISOString(),
    action: row.action,
    actor: {
      type: row.actor_type,
      id: row.user_id,
      first_name: row.first_name,
      last_name: row.last_name,
      name: row.operator,
    },
    credential: row.credential_type === null ? null : { type: row.credential_type, id: row.credential_id },
    ip: row.ip,
    target: row.target_type === null ? null : { type: row.target_type, id: row.target_id },
    changes: row.changes,
    fields: row.fields,
  };
}
