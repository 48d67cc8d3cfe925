export { createApiKey, hashApiKey, type NewApiKey } from './create-api-key.ts';
export { type ApiKeyIdentity, findApiKey } from './find-api-key.ts';
export { findListedApiKey, type ListedApiKey, listApiKeys } from './list-api-keys.ts';
export { revokeApiKey } from './revoke-api-key.ts';
export { rotateApiKey, type RotateApiKeyResult } from './rotate-api-key.ts';
export { touchApiKey } from './touch-api-key.ts';
