import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { withRoot } from './api/address/root.ts'
import { workspaceInAddress } from './api/address/workspace-path.ts'
import { unreachableSince } from './api/connection/connection.ts'
import { oldestFailedRead } from './api/connection/stale-data.ts'
import { reloadCatalogue } from './api/reload-catalogue.ts'
import { canManage, canManageService, lastRole, signOut } from './api/session.ts'
import type { Session } from './api/types.ts'
import { runOrToast } from './components/form/use-action.ts'
import { badgeOf } from './components/page/badges.ts'
import { DocumentTitle } from './components/page/heading.tsx'
import { toast } from './components/page/toast.tsx'
import { type Command, useCommands } from './components/palette/commands.ts'
import { openPalette } from './components/palette/palette.tsx'
import { nextTheme, setTheme, theme, themes } from './components/window/theme.ts'
import { countText } from './format/count.ts'
import { clockTime } from './format/time.ts'
import { spendingByMember } from './overview/spending-paths.ts'
import { PasskeyNotice } from './passkey-notice.tsx'
import { usePendingQuestions } from './pending-questions.ts'
import { screens, screensFor } from './screens.ts'
import { ShownWorkspace, shownWorkspaces, WorkspaceSwitcher, workspaceCommands } from './workspace-switcher.tsx'

/** The navigation and the current screen. In a narrow window the navigation is a menu. */
export function Frame({ session, children }: { session: Session | undefined; children: ComponentChildren }) {
  const { path, route } = useLocation()
  const currentName = path.split('/')[1]
  usePendingQuestions(session, currentName)
  const title = screens.find(({ name }) => name === currentName)?.title
  const visibleScreens = screensFor(session ?? lastRole())
  useCommands([
    ...visibleScreens.map(({ name, title, words = '' }) => ({
      title,
      words: `go ${words}`,
      hint: 'Screen',
      onSelect: () => route(`/${name}`),
    })),
    ...themes.map((themeName) => ({
      title: `Theme: ${themeName}`,
      hint: 'Appearance',
      onSelect: () => setTheme(themeName),
    })),
    {
      title: 'API reference',
      words: 'docs openapi',
      hint: 'Opens another page',
      onSelect: () => location.assign(withRoot('/api/v1/docs')),
    },
    ...(canManage() ? managementCommands(route) : []),
    ...(canManageService() ? [reloadCommand] : []),
    { title: 'Sign out', hint: 'Session', onSelect: onSignOut },
    ...workspaceCommands(session, path),
  ])
  const menu = useRef<HTMLDivElement>(null)
  const closeMenu = () => menu.current?.togglePopover(false)
  // The screen of interns shows the questions itself.
  const openQuestions = currentName === 'interns' ? 0 : badgeOf('interns')
  return (
    <div class="frame">
      <DocumentTitle screen={title} />
      <nav aria-label="Screens">
        <a class="brand" href="/">
          signal<i>·</i>box
        </a>
        <button
          type="button"
          class="screens-button"
          popovertarget="nav-menu"
          aria-label={title ? `Screens, current: ${title}` : 'Screens'}
          data-label={menuLabel(title, session)}
        />
        <button type="button" class="search-button" onClick={openPalette}>
          Go to… <kbd>Ctrl K</kbd>
        </button>
        {openQuestions ? (
          <a class="open-questions" href="/interns">
            {countText(openQuestions, 'question')}
          </a>
        ) : null}
        <div class="nav-menu" id="nav-menu" popover ref={menu}>
          {session && <WorkspaceSwitcher session={session} path={path} />}
          <div class="screen-links">
            {visibleScreens.map(({ name, title }) => {
              const badge = badgeOf(name)
              return (
                <a
                  key={name}
                  class="screen-link"
                  href={`/${name}`}
                  aria-current={name === currentName ? 'page' : undefined}
                  onClick={closeMenu}
                >
                  {title}
                  {badge ? <em>{badge}</em> : null}
                </a>
              )
            })}
          </div>
          {session && <ShownWorkspace session={session} path={path} />}
          <div class="account">
            <span>{session && sessionLabel(session)}</span>
            <button type="button" class="bare" onClick={nextTheme} aria-label={`Theme: ${theme.value}`}>
              Theme: {theme.value}
            </button>
            <button type="button" class="bare" onClick={onSignOut}>
              Sign out
            </button>
          </div>
        </div>
      </nav>
      <main>
        <ConnectionNotice />
        <PasskeyNotice session={session} path={path} />
        {children}
      </main>
    </div>
  )
}

/** The label of the menu button in a narrow window: the screen and, if the address names one, the workspace. */
const menuLabel = (title = 'Screens', session: Session | undefined) =>
  session && workspaceInAddress() !== undefined ? `${title} · ${session.workspace.name}` : title

/** Signs out, and reports a failure: the session in this browser is still valid then. */
const onSignOut = () => void runOrToast(signOut, 'You are still signed in. ')

/** Says that the page shows earlier data, because the service or a route does not respond. */
function ConnectionNotice() {
  const since = unreachableSince.value
  const failedRead = oldestFailedRead.value
  return (
    <div aria-live="polite">
      {!since && failedRead && (
        <p class="page-notice">
          <span class="dot warn" />
          The latest data could not be loaded since {clockTime(new Date(failedRead.since), new Date())}:{' '}
          {failedRead.failure.message} The page shows earlier data and retries.
        </p>
      )}
      {since && (
        <p class="page-notice">
          <span class="dot warn" />
          The service has been unreachable since {clockTime(since, new Date())}. The page shows earlier data until the
          service is back.
        </p>
      )}
    </div>
  )
}

/** The member, the role and the workspace of the session. */
const sessionLabel = (session: Session) =>
  `${session.member.name || session.member.email} · ${session.role} · ${shownWorkspaces(session)}`

/** Commands that start a task, for owners and admins. */
const managementCommands = (route: (path: string) => void): Command[] => [
  {
    title: 'Spending of this month by member',
    words: 'who spent most cost usage report',
    hint: 'Overview',
    onSelect: () => route(spendingByMember()),
  },
  { title: 'Create a key', words: 'make add new api', hint: 'Opens Keys & members', onSelect: () => route('/keys') },
  {
    title: 'Create a guardrail',
    words: 'make add new policy',
    hint: 'Opens Guardrails',
    onSelect: () => route('/guardrails'),
  },
]

const reloadCommand: Command = {
  title: 'Reload the catalogue',
  words: 'refresh models providers',
  hint: 'Service',
  onSelect: () =>
    void runOrToast(async () => {
      const { models, skipped } = await reloadCatalogue()
      toast(`${countText(models, 'model')} loaded, ${countText(skipped.length, 'row')} skipped`)
    }),
}
