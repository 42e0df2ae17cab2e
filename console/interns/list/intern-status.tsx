import type { Intern } from '../../api/types.ts'
import { escapeInvisible } from '../visible-text.ts'

const statusClasses: Partial<Record<Intern['status'], string>> = {
  running: 'ok',
  failed: 'bad',
  destroy_failed: 'bad',
  stopped: 'dim',
}

/** The status of an intern, with the current step while it starts. */
export function InternStatus({ intern: { status, progress } }: { intern: Intern }) {
  return (
    <span>
      <span class={`dot ${statusClasses[status] ?? 'warn'}`} />
      {status.replace('_', ' ')}
      {progress && (
        <span class="dim">
          {' '}
          {progress.step_number} of {progress.total_steps}: {escapeInvisible(progress.step_label)}
        </span>
      )}
    </span>
  )
}
