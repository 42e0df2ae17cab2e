import { render } from 'preact'
import { findSession } from './api/session.ts'
import { App } from './app.tsx'
import { rootLinks } from './rooted-location.tsx'
import './components/double-click.ts'
import './components/overflow-title.ts'

rootLinks()
void findSession()
const place = document.getElementById('console')!
// The frame that came with the page is drawn once more in its place, in the same frame of the screen.
place.replaceChildren()
render(<App />, place)
