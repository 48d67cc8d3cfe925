/**
 * Time in extraction processes, halved every minute, that an organization has while long files hold all places. With more it waits until
 * there is a place to spare.
 */
export const READING_BUDGET_MS = 2_000;
