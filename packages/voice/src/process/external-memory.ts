import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8 starts a collection only at 64 MB of external memory, however small its heap is. */
const mostGrowthBytes = 16 * 2 ** 20;

/**
 * Collects garbage once external memory, which holds the audio of calls, has grown by 16 MB. Fifty calls at once reached that four times in five
 * minutes. A collection stops the process for 50 to 90 ms, less than the audio that is sent ahead (docs/decisions/voice-processes.md).
 * @returns a function to call every few seconds; it returns true if it has collected
 */
export function createExternalMemoryCollector(): () => boolean {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let least = Infinity;
  return () => {
    const bytes = getHeapStatistics().external_memory;
    least = Math.min(least, bytes);
    if (bytes - least < mostGrowthBytes) return false;
    collect();
    least = getHeapStatistics().external_memory;
    return true;
  };
}
