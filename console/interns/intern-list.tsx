import type { Intern } from '../api/types.ts'
import { Ago } from '../components/timestamp.tsx'
import { InternActs } from './intern-actions.tsx'
import { State } from './intern-status.tsx'
import { shown } from './visible-text.ts'

/** A line for each: how it is, who it is, and what its state allows. */
export function AllInterns({ interns, after }: { interns: Intern[]; after: () => void }) {
  return (
    <ul class="interns">
      {interns.map((intern) => (
        <li key={intern.id}>
          <a href={`/interns/${intern.id}`}>{intern.name}</a>
          <State intern={intern} />
          <span class="dim about">
            {intern.approval_mode === 'manual' ? 'manual approval' : 'self-drive'} · updated{' '}
            <Ago time={intern.updated_at} />
            {intern.last_failure_message && <span class="bad"> · {shown(intern.last_failure_message)}</span>}
          </span>
          <InternActs intern={intern} after={after} />
        </li>
      ))}
    </ul>
  )
}
