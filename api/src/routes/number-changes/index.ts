import type { Route } from '../../http/define-route.ts';
import { importNumberChanges } from './import.ts';
import { listNumberChanges } from './list.ts';
import { removeNumberChange } from './remove.ts';

export const numberChangeRoutes: readonly Route[] = [
  listNumberChanges,
  importNumberChanges,
  removeNumberChange,
];
