import { render } from 'preact';

render(<main>Parley</main>, document.body);
