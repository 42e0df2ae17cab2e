import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { currentSession } from '../../api/session.ts'
import type { Session } from '../../api/types.ts'
import { Heading } from './heading.tsx'
import { EmptyState } from './page-states.tsx'

type ScreenTab = {
  /** The last part of the tab's path; empty for the first tab. */
  name: string
  title: string
  Content: ComponentType
  /** Whether this session can use the tab. Otherwise the tab is hidden, unless it is open. */
  isOffered?: (session: Session) => boolean
}

/** Scrolls the current tab into view. */
export function useScrollToCurrent(currentName: string) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [currentName])
  return nav
}

/** A screen with tabs, each with its path. @param screen the first part of the path. */
export function ScreenTabs({ screen, title, tabs }: { screen: string; title: string; tabs: ScreenTab[] }) {
  const currentName = useRoute().params.rest ?? ''
  const session = currentSession()
  const visibleTabs = tabs.filter(
    ({ name, isOffered }) => !isOffered || !session || name === currentName || isOffered(session),
  )
  const nav = useScrollToCurrent(currentName)
  const currentTab = tabs.find(({ name }) => name === currentName)
  return (
    <div class="screen parts">
      <header class="bar">
        <Heading pageName={currentTab?.title}>{title}</Heading>
        <nav ref={nav} aria-label="Tabs of this screen">
          {visibleTabs.map(({ name, title: tabTitle }) => (
            <a
              key={name}
              href={`/${screen}${name && `/${name}`}`}
              aria-current={name === currentName ? 'page' : undefined}
            >
              {tabTitle}
            </a>
          ))}
        </nav>
      </header>
      <div class="parts-body">
        {currentTab ? (
          <currentTab.Content key={currentName} />
        ) : (
          <EmptyState title="Page not found">
            <p>
              This tab does not exist. <a href={`/${screen}`}>Open the first tab</a>.
            </p>
          </EmptyState>
        )}
      </div>
    </div>
  )
}
