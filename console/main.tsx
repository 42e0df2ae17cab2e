import { render } from 'preact'
import { hasPreloadedSession } from './api/preloaded-answers.ts'
import { findSession } from './api/session.ts'
import { App } from './app.tsx'
import { rootLinks } from './base-path-location.tsx'
import './components/double-click.ts'
import './components/overflow-title.ts'
import { rememberScrollPositions } from './components/scroll-memory.ts'

rootLinks()
rememberScrollPositions()
const found = findSession()
if (hasPreloadedSession) await found
const root = document.getElementById('console')!
// Replaces the frame that the page contains, within the same paint.
root.replaceChildren()
render(<App />, root)
