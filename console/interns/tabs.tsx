import { useLocation } from 'preact-iso/router'
import { useScrollToCurrent } from '../components/page/screen-tabs.tsx'

/** A tab by its name in the address, `?part=rules`; empty for the first. */
export type Tab = { name: string; title: string }

export const usePart = () => useLocation().query.part ?? ''

export function Tabs({ tabs }: { tabs: Tab[] }) {
  const { path } = useLocation()
  const currentPart = usePart()
  const nav = useScrollToCurrent(currentPart)
  return (
    <nav ref={nav} class="tabs" aria-label="Tabs of this page">
      {tabs.map(({ name, title }) => (
        <a
          key={name}
          href={`${path}${name && `?part=${name}`}`}
          aria-current={name === currentPart ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}
