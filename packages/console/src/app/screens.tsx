import { Route, Router } from 'preact-iso/router';
import {
  AgentScreen,
  Agents,
  CallScreen,
  CampaignScreen,
  Documents,
  KnowledgeBase,
  NewCampaign,
  NotFound,
  Organization,
  People,
  Person,
} from './further-screens.ts';
import { Campaigns } from './screens/campaigns.tsx';

export function Screens() {
  return (
    <Router onRouteChange={showFromTop}>
      <Route path="/console" component={Campaigns} />
      <Route path="/console/campaigns" component={Campaigns} />
      <Route path="/console/campaigns/new" component={NewCampaign} />
      <Route path="/console/campaigns/:id/:tab?" component={CampaignScreen} />
      <Route path="/console/calls/:id" component={CallScreen} />
      <Route path="/console/people" component={People} />
      <Route path="/console/people/:number" component={Person} />
      <Route path="/console/agents" component={Agents} />
      <Route path="/console/agents/:id" component={AgentScreen} />
      <Route path="/console/documents" component={Documents} />
      <Route path="/console/documents/:id" component={KnowledgeBase} />
      <Route path="/console/organization/:part?" component={Organization} />
      <Route default component={NotFound} />
    </Router>
  );
}

/** A new screen starts scrolled to its top, with the keyboard focus there. */
function showFromTop(): void {
  scrollTo({ top: 0 });
  document.getElementById('screen')?.focus({ preventScroll: true });
}
