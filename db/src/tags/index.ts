export { ensureTags } from './ensure-tags.ts';
export { listTags, type TagRow } from './list-tags.ts';
