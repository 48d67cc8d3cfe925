import type { Progress } from '../../data/campaigns.ts';
import { BarList } from '../../ui/share-bar.tsx';
import { outcomeColour, outcomeOrder, outcomeText } from '../../words/outcomes.ts';

/** How many people's last call had each outcome. */
export function OutcomeBars({ progress }: { progress: Progress }) {
  const bars = outcomeOrder.flatMap((key) => {
    const number = progress.outcomes[key as keyof Progress['outcomes']] ?? 0;
    return number > 0 ? [{ key, colour: outcomeColour(key), text: outcomeText(key), number }] : [];
  });
  if (bars.length === 0) return <p class="muted">No call has ended yet.</p>;
  return <BarList label="People by outcome" bars={bars} />;
}
