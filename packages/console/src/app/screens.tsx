import { Route, Router } from 'preact-iso/router';
import { furtherScreen } from './further-screens.ts';
import { Campaigns } from './screens/campaigns.tsx';

const furtherRoutes = [
  ['/console/campaigns/new', furtherScreen('NewCampaign')],
  ['/console/campaigns/:id/:tab?', furtherScreen('CampaignScreen')],
  ['/console/calls/:id', furtherScreen('CallScreen')],
  ['/console/people', furtherScreen('People')],
  ['/console/people/:number', furtherScreen('Person')],
  ['/console/agents', furtherScreen('Agents')],
  ['/console/agents/:id', furtherScreen('AgentScreen')],
  ['/console/documents', furtherScreen('Documents')],
  ['/console/documents/:id', furtherScreen('KnowledgeBase')],
  ['/console/organization/:part?', furtherScreen('Organization')],
] as const;
const NotFound = furtherScreen('NotFound');

export function Screens() {
  return (
    <Router onRouteChange={showFromTop}>
      <Route path="/console" component={Campaigns} />
      <Route path="/console/campaigns" component={Campaigns} />
      {furtherRoutes.map(([path, component]) => (
        <Route key={path} path={path} component={component} />
      ))}
      <Route default component={NotFound} />
    </Router>
  );
}

/** A new screen starts scrolled to its top, with the keyboard focus there. */
function showFromTop(): void {
  scrollTo({ top: 0 });
  document.getElementById('screen')?.focus({ preventScroll: true });
}
