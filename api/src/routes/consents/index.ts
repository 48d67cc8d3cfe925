import type { Route } from '../../http/define-route.ts';
import { addConsent } from './add.ts';
import { importConsents } from './import.ts';
import { listConsents } from './list.ts';
import { proveConsent } from './prove.ts';
import { revokeConsent } from './revoke.ts';

export const consentRoutes: readonly Route[] = [
  listConsents,
  addConsent,
  importConsents,
  revokeConsent,
  proveConsent,
];
