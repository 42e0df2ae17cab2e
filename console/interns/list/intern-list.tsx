import type { Intern } from '../../api/types.ts'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { escapeInvisible } from '../visible-text.ts'
import { InternActions } from './intern-actions.tsx'
import { InternStatus } from './intern-status.tsx'

/** A list of interns with status and actions. */
export function InternList({ interns, onDone }: { interns: Intern[]; onDone: () => void }) {
  return (
    <ul class="interns">
      {interns.map((intern) => (
        <li key={intern.id}>
          <a href={`/interns/${intern.id}`}>{intern.name}</a>
          <InternStatus intern={intern} />
          <span class="dim about">
            {intern.approval_mode} · updated <RelativeTime time={intern.updated_at} />
            {intern.last_failure_message && <span class="bad"> · {escapeInvisible(intern.last_failure_message)}</span>}
          </span>
          <InternActions intern={intern} onDone={onDone} />
        </li>
      ))}
    </ul>
  )
}
