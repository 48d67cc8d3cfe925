import { useLocation } from 'preact-iso/router';
import { useState } from 'preact/hooks';
import { api, ok } from '../../data/api.ts';
import { type ListedCampaign, setStatus } from '../../data/campaigns.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { Button, Fault } from '../../ui/basics.tsx';
import { Confirm } from '../../ui/dialog.tsx';

/** Pause, a large button without a confirmation; start; and irreversible actions, which ask first. */
export function CampaignActions({ found, onChange }: { found: ListedCampaign; onChange: () => void }) {
  const { may } = useSession();
  const { route } = useLocation();
  const [asking, setAsking] = useState<'cancel' | 'delete' | null>(null);
  const { id, name, status } = found.campaign;
  const move = useAction(async (to: 'running' | 'paused' | 'canceled') => {
    await setStatus(id, to);
    setAsking(null);
    onChange();
    return {
      running: 'The campaign is running',
      paused: 'Paused: no more calls are placed',
      canceled: 'The campaign was canceled',
    }[to];
  });
  const remove = useAction(async () => {
    await ok(api.DELETE('/api/v1/campaigns/{campaign_id}', { params: { path: { campaign_id: id } } }));
    route('/console/campaigns');
    return `${name} was deleted`;
  });
  if (!may('manager')) return null;
  const isOver = status === 'finished' || status === 'canceled';
  return (
    <>
      {status === 'running' && (
        <Button kind="main" big icon="pause" busy={move.busy} onClick={() => move.run('paused')}>
          Pause
        </Button>
      )}
      {(status === 'draft' || status === 'paused') && (
        <Button kind="main" big icon="play" busy={move.busy} onClick={() => move.run('running')}>
          {status === 'draft' ? 'Start' : 'Resume'}
        </Button>
      )}
      {(status === 'running' || status === 'paused') && (
        <Button big icon="stop" onClick={() => setAsking('cancel')}>
          Cancel
        </Button>
      )}
      {(status === 'draft' || isOver) && (
        <Button icon="trash" onClick={() => setAsking('delete')}>
          Delete
        </Button>
      )}
      <Fault text={asking === null ? (move.fault ?? remove.fault) : null} />
      {asking === 'cancel' && (
        <Confirm
          title={`Cancel ${name}?`}
          text="No more calls will be placed, and the campaign cannot be started again. Calls in progress continue."
          yes="Cancel the campaign"
          busy={move.busy}
          onYes={() => move.run('canceled')}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'delete' && (
        <Confirm
          title={`Delete ${name}?`}
          text="The campaign and its list will be deleted. The records of its calls remain."
          yes="Delete the campaign"
          busy={remove.busy}
          onYes={() => remove.run()}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}
