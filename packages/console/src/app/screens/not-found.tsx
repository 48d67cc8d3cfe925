import { ButtonLink, Empty } from '../ui/basics.tsx';
import { useTitle } from '../ui/use-title.ts';

export function NotFound() {
  useTitle('Not found');
  return (
    <Empty icon="search" title="This page does not exist.">
      <ButtonLink href="/console/campaigns" kind="main">
        Go to the campaigns
      </ButtonLink>
    </Empty>
  );
}
