/** The memory use of this process; its peak if the system does not report the current use. */
export function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
