import type { CallingRule } from '../calling-rule.ts';
import { countriesWithoutHours, elsewhere } from './elsewhere.ts';
import * as jurisdictions from './jurisdictions.ts';

/** The rule for countries without their own. */
export const elsewhereJurisdiction = 'XX';

export const builtInRules: readonly CallingRule[] = [
  ...Object.values(jurisdictions),
  ...countriesWithoutHours,
  elsewhere,
];
