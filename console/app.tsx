import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import lazy from 'preact-iso/lazy'
import { Route, Router, useLocation } from 'preact-iso/router'
import { sessionState, wasSignedIn } from './api/session.ts'
import { BasePathLocation } from './base-path-location.tsx'
import { ErrorBoundary } from './components/page/error-boundary.tsx'
import { Heading } from './components/page/heading.tsx'
import { NotLoaded } from './components/page/not-loaded.tsx'
import { EmptyState } from './components/page/page-states.tsx'
import { Toasts } from './components/page/toast.tsx'
import { Palette } from './components/palette/palette.tsx'
import { Shortcuts } from './components/palette/shortcuts.tsx'
import { focusOpenedPage } from './components/window/focus.ts'
import { Frame } from './frame.tsx'
import { screens } from './screens.ts'
import { LinkSignIn, SignIn } from './sign-in.tsx'
import { NoWorkspace, WorkspaceMissing } from './workspace-missing.tsx'

const routedScreens = screens.map(({ name, load }) => ({
  name,
  component: lazy(async () => ({
    default: await load().then(
      ({ Screen }) => Screen,
      () => ScreenNotLoaded,
    ),
  })),
}))

/** Loads the script of a screen before it is rendered. */
export const preloadScreen = (screen: string | undefined) =>
  routedScreens.find(({ name }) => name === screen)?.component.preload()

/** @param screen what the frame contains, by default the screen of the address. The service passes null if it renders only the frame. */
export function App({ screen = <CurrentScreen /> }: { screen?: ComponentChildren }) {
  return (
    <BasePathLocation>
      <Gate screen={screen} />
      <Toasts />
    </BasePathLocation>
  )
}

/** Renders the sign-in page without a session, the console otherwise: also while the session of an earlier visit is looked up. */
function Gate({ screen }: { screen: ComponentChildren }) {
  const session = sessionState.value
  if (session.state === 'unknown' && !wasSignedIn())
    return <div class="session-loading" role="status" aria-label="Loading" />
  if (session.state === 'signed-out') {
    const { failure, emailedLink } = session
    return emailedLink !== undefined ? <LinkSignIn link={emailedLink} /> : <SignIn failure={failure} />
  }
  if (session.state === 'no-workspace') return <NoWorkspace failure={session.failure} />
  return (
    <>
      <Frame session={session.state === 'signed-in' ? session.session : undefined}>{screen}</Frame>
      <Palette />
      <Shortcuts />
    </>
  )
}

function CurrentScreen() {
  const { path } = useLocation()
  const current = sessionState.value
  if (current.state === 'signed-in' && current.isWorkspaceMissing)
    return <WorkspaceMissing session={current.session} path={path} />
  return (
    <ErrorBoundary path={path}>
      <Screens />
    </ErrorBoundary>
  )
}

function Screens() {
  return (
    <Router onRouteChange={focusOpenedPage}>
      <Route path="/" component={FirstScreen} />
      {routedScreens.map(({ name, component }) => (
        <Route key={name} path={`/${name}/:rest*`} component={component} />
      ))}
      <Route default component={NoScreen} />
    </Router>
  )
}

/** Redirects `/` to the first screen. */
function FirstScreen() {
  const { route } = useLocation()
  useEffect(() => route(`/${screens[0]!.name}`, true), [route])
  return null
}

function NoScreen() {
  return (
    <>
      <Heading isHidden>Page not found</Heading>
      <EmptyState title="Page not found">
        <p>
          The console has no page at this address. <a href="/">Open the first screen</a>, or press <kbd>Ctrl</kbd>{' '}
          <kbd>K</kbd> to search.
        </p>
      </EmptyState>
    </>
  )
}

function ScreenNotLoaded() {
  return (
    <>
      <Heading isHidden>Screen not loaded</Heading>
      <NotLoaded what="This screen" />
    </>
  )
}
