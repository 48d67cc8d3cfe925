import { render } from 'preact';
import { App } from './app.tsx';
import { loadFurtherScreens } from './further-screens.ts';
import 'uplot/dist/uPlot.min.css';
import './styles/index.css';

const root = document.getElementById('app');
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
loadFurtherScreens();
