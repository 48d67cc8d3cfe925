/**
 * Files up to this size are read in milliseconds, and worth being taken together: what a queue, a claim and a commit cost is shared
 * by them. A handful of them is no burden to memory.
 */
export const SMALL_FILE_BYTES = 256 * 1024;
