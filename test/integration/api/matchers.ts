import { expect } from 'vitest';

// vitest types its matchers as `any`, which would spread to the values around them.
export const someText: unknown = expect.any(String);
export const someList: unknown = expect.any(Array);
export const someDate: unknown = expect.any(Date);
