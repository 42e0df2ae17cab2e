import type { ComponentType } from 'preact'
import { useRoute } from 'preact-iso/router'
import { Nothing } from '../pieces/states.tsx'
import { Audit } from './audit.tsx'
import { Keys } from './keys.tsx'
import { People } from './people.tsx'
import { Providers } from './providers.tsx'
import { Sessions } from './sessions.tsx'

/** The parts by the last part of their path; the first has none. */
const parts: { name: string; title: string; Part: ComponentType }[] = [
  { name: '', title: 'Keys', Part: Keys },
  { name: 'people', title: 'People', Part: People },
  { name: 'providers', title: 'Provider keys', Part: Providers },
  { name: 'sessions', title: 'Browsers', Part: Sessions },
  { name: 'audit', title: 'Who changed what', Part: Audit },
]

/** Who may use the service, with what, and who changed that. */
export function Screen() {
  const here = useRoute().params.rest ?? ''
  const Part = parts.find(({ name }) => name === here)?.Part
  return (
    <div class="screen keyring">
      <header class="bar">
        <h1>Keys &amp; people</h1>
        <nav aria-label="Parts of this screen">
          {parts.map(({ name, title }) => (
            <a key={name} href={name ? `/keys/${name}` : '/keys'} aria-current={name === here ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
      </header>
      <div class="keyring-part">
        {Part ? <Part key={here} /> : <Nothing title="There is no such part of this screen" />}
      </div>
    </div>
  )
}
