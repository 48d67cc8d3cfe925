export { type AuditFilters, type AuditLogRow, listAuditLog } from './list-audit-log.ts';
