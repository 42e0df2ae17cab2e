import { render } from 'preact'
import { hasPreloadedSession } from './api/preloaded-answers.ts'
import { findSession } from './api/session.ts'
import { withoutScreenRoot } from './api/workspace-path.ts'
import { App, preloadScreen } from './app.tsx'
import { rootLinks } from './base-path-location.tsx'
import './components/double-click.ts'
import './components/overflow-title.ts'
import { rememberScrollPositions } from './components/scroll-memory.ts'
import { rememberWindow } from './components/window-size.ts'

rootLinks()
rememberScrollPositions()
rememberWindow()
const root = document.getElementById('console')!
const servedList = () => root.querySelector('[role=grid]')
const found = findSession()
if (servedList()) await preloadScreen(withoutScreenRoot(location.pathname).split('/')[1])
if (hasPreloadedSession) await found
// Replaces what the service has rendered, within the same paint.
const scrolled = servedList()?.scrollTop ?? 0
root.replaceChildren()
render(<App />, root)
if (scrolled > 0) servedList()?.scrollTo(0, scrolled)
root.removeAttribute('aria-busy')
