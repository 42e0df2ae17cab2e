import { render } from 'preact'
import { withoutPrefixes } from './api/address/workspace-path.ts'
import { hasPreloadedSession } from './api/preloaded-responses.ts'
import { findSession } from './api/session.ts'
import { App, preloadScreen } from './app.tsx'
import { prefixLinks } from './base-path-location.tsx'
import './components/form/double-click.ts'
import './components/table/overflow-title.ts'
import { rememberScrollPositions } from './components/window/scroll-memory.ts'
import { rememberWindow } from './components/window/window-size.ts'
import { saveEarlyClicks } from './early-clicks.ts'

prefixLinks()
rememberScrollPositions()
rememberWindow()
const root = document.getElementById('console')!
const findGrid = () => root.querySelector('[role=grid]')
const sessionLookup = findSession()
// The served page has rows: the script of the screen is needed to render the same.
if (findGrid()) await preloadScreen(withoutPrefixes(location.pathname).split('/')[1])
// A session in the page is available without a request, so the first render can use it.
if (hasPreloadedSession) await sessionLookup
// Replaces what the service has rendered, within the same paint.
const scrollTop = findGrid()?.scrollTop ?? 0
const repeatEarlyClicks = saveEarlyClicks(root)
root.replaceChildren()
render(<App />, root)
if (scrollTop > 0) findGrid()?.scrollTo(0, scrollTop)
root.removeAttribute('aria-busy')
repeatEarlyClicks()
