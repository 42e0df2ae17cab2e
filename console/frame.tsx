import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { signOut } from './api/session.ts'
import type { Session } from './api/types.ts'
import { badgeOf } from './pieces/badges.ts'
import { useCommands } from './pieces/commands.ts'
import { openPalette } from './pieces/palette.tsx'
import { nextTheme, setTheme, theme, themes } from './pieces/theme.ts'
import { screens } from './screens.ts'
import { useWaitingQuestions } from './waiting.ts'

/** Where am I: all screens at the left, at the top of a narrow window. */
export function Frame({ session, children }: { session: Session | undefined; children: ComponentChildren }) {
  const { path, route } = useLocation()
  const here = path.split('/')[1]
  useWaitingQuestions(session, here)
  const place = screens.find(({ name }) => name === here)?.title
  useEffect(() => {
    document.title = place ? `${place} · Signalbox` : 'Signalbox'
  }, [place])
  useCommands([
    ...screens.map(({ name, title, words = '' }) => ({
      title,
      words: `go ${words}`,
      hint: 'screen',
      act: () => route(`/${name}`),
    })),
    ...themes.map((one) => ({ title: `Theme: ${one}`, hint: 'look', act: () => setTheme(one) })),
    {
      title: 'API reference',
      words: 'docs openapi',
      hint: 'leaves the console',
      act: () => location.assign('/api/v1/docs'),
    },
    { title: 'Sign out', hint: 'session', act: () => void signOut() },
  ])
  const waiting = badgeOf('interns')
  const places = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // In a narrow window they are a line that scrolls, and is longer when somebody waits.
    const place = places.current?.querySelector('[aria-current]')
    // Whoever waits is first in it, and stays in sight: scrolled to, others would lie half behind.
    if (place?.classList.contains('waits')) places.current!.scrollLeft = 0
    else place?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [here, waiting])
  return (
    <div class="frame">
      <nav aria-label="Screens">
        <a class="brand" href="/">
          signal<i>·</i>box
        </a>
        <div class="places" ref={places}>
          {screens.map(({ name, title }) => {
            const badge = badgeOf(name)
            return (
              <a
                key={name}
                class={badge ? 'place waits' : 'place'}
                href={`/${name}`}
                aria-current={name === here ? 'page' : undefined}
              >
                {title}
                {badge ? <em>{badge}</em> : null}
              </a>
            )
          })}
        </div>
        <div class="who">
          <span>{session && describe(session)}</span>
          <button type="button" class="bare always" onClick={openPalette}>
            Go to… <kbd>Ctrl K</kbd>
          </button>
          <button type="button" class="bare" onClick={nextTheme} aria-label={`Theme: ${theme.value}`}>
            Theme: {theme.value}
          </button>
          <button type="button" class="bare" onClick={signOut}>
            Sign out
          </button>
        </div>
      </nav>
      <main>{children}</main>
    </div>
  )
}

/** Whose session it is, and where: the first is often an address. */
const describe = ({ role, member, workspace }: Session) =>
  `${member.name || member.email} · ${role} · ${workspace.name}`
