import type { ComponentType } from 'preact'
import { Failure } from '../api/failure.ts'
import { role, signedIn } from '../api/session.ts'
import { Failed, Loading, Nothing } from '../pieces/states.tsx'
import { Overview } from './overview.tsx'
import { Rules } from './rules/rules.tsx'
import { type Tab, Tabs, usePart } from './tabs.tsx'

/** `isKept`: from developers. */
type Part = Tab & { Part: ComponentType; isKept?: boolean }

const parts: Part[] = [
  { name: '', title: 'Interns', Part: Overview },
  { name: 'rules', title: 'Rules for all', Part: WorkspaceRules, isKept: true },
]

const forbidden = new Failure(403, 'This is shown to those who may see all of the organization.')

/** What waits and who there is, and what holds for all interns of the workspace. */
export function Home() {
  const here = usePart()
  const seen = parts.filter(({ isKept }) => !isKept || role() !== 'developer')
  const shown = parts.find(({ name }) => name === here)
  return (
    <div class="page interns-page">
      <header>
        <h1>Interns</h1>
        {seen.length > 1 && <Tabs tabs={seen} />}
      </header>
      {!shown && <Nothing title="There is no such part of this screen" />}
      {shown && (seen.includes(shown) ? <shown.Part /> : <Failed failure={forbidden} />)}
    </div>
  )
}

function WorkspaceRules() {
  const who = signedIn.value
  if (who.state !== 'in') return <Loading />
  const { workspace, role: may } = who.session
  return <Rules owner={{ kind: 'workspace', id: workspace.id }} mayChange={may === 'owner' || may === 'admin'} />
}
