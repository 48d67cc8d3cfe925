import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8 itself waits for 64 MB outside its heap, however small the heap is. */
const mostGrowthBytes = 16 * 2 ** 20;

/**
 * Collects the sound of calls that is no longer used once it may be 16 MB: a look for it has to be made every few seconds. Fifty calls at once left
 * 16 MB four times in five minutes, and a collection then stops the process for 50 to 90 ms, far less than the sound that is sent ahead (decision 0345).
 * @returns a look, which says whether it collected
 */
export function createSoundCollector(): () => boolean {
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
