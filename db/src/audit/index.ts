export {
  type AuditActor,
  auditCreated,
  type AuditNote,
  type AuditOrigin,
  auditOrganization,
  type AuditTarget,
  noteChange,
  runAudited,
} from './audit-scope.ts';
export { lockRights, type LostRights, lostRights, type Rights } from './rights.ts';
