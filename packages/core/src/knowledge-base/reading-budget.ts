/**
 * Time in extraction processes, halved every minute, that an organization may use while long files hold all places. An organization above it waits
 * until a place is free.
 */
export const readingBudgetMs = 2_000;
