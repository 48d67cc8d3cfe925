import type { Route } from '../../http/define-route.ts';
import { listAuditLog } from './list.ts';

export const auditLogRoutes: readonly Route[] = [listAuditLog];
