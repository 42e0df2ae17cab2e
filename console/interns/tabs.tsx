import { useLocation } from 'preact-iso/router'
import { useScrollToCurrent } from '../components/page/screen-tabs.tsx'

/** A tab by its name in the address, `?part=rules`; empty for the first. */
export type Tab = { name: string; title: string }

/** The name of the tab in the address. */
export const useCurrentTab = () => useLocation().query.part ?? ''

export function Tabs({ tabs }: { tabs: Tab[] }) {
  const { path } = useLocation()
  const currentName = useCurrentTab()
  const nav = useScrollToCurrent(currentName)
  return (
    <nav ref={nav} class="tabs" aria-label="Tabs of this page">
      {tabs.map(({ name, title }) => (
        <a
          key={name}
          href={`${path}${name && `?part=${name}`}`}
          aria-current={name === currentName ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}
