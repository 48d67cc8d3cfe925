export { readUsage, type UsageKey, type UsageRow } from './read-usage.ts';
