import { render } from 'preact'
import { findSession } from './api/session.ts'
import { App } from './app.tsx'
import { rootLinks } from './below-root.tsx'
import './pieces/second-click.ts'
import './pieces/whole-on-hover.ts'

rootLinks()
void findSession()
const place = document.getElementById('console')!
// The frame that came with the page is drawn once more in its place, in the same frame of the screen.
place.replaceChildren()
render(<App />, place)
