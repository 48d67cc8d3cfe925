/**
 * Files up to this size are read in milliseconds, so they are handled in batches that share the cost of a queue message, a claim and a
 * commit. A handful of them fits easily into memory.
 */
export const smallFileBytes = 256 * 1024;
