import { useState } from 'preact/hooks'
import { canUseModelsAndInterns } from '../../api/session.ts'
import { EmptyState, FailureState, Loading } from '../../components/page/page-states.tsx'
import { CreateIntern } from '../form/create-intern.tsx'
import { useInterns } from '../intern-updates.ts'
import { Inbox } from '../questions/inbox.tsx'
import { InternList } from './intern-list.tsx'

/** The open questions and all interns. */
export function InternsOverview() {
  const { data, failure, reload } = useInterns()
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      {canUseModelsAndInterns() && data && data.questions.length > 0 && (
        <p class="dim key-hints">
          <kbd>a</kbd> allow once <kbd>A</kbd> always <kbd>r</kbd> reject <kbd>j</kbd> <kbd>k</kbd> move
        </p>
      )}
      {canUseModelsAndInterns() && data && (
        <div class="toolbar">
          <button type="button" onClick={() => setCreating(true)}>
            Create intern
          </button>
        </div>
      )}
      {isCreating && <CreateIntern onClose={() => setCreating(false)} />}
      {failure?.status === 404 ? (
        <EmptyState title="You do not have access to interns">
          <p>Interns are disabled for this organization. An owner can enable them.</p>
        </EmptyState>
      ) : (
        failure && <FailureState failure={failure} onRetry={reload} />
      )}
      {!failure && !data && <Loading />}
      {data?.interns.length === 0 && (
        <EmptyState
          title="No interns yet"
          command={canUseModelsAndInterns() ? 'npx signalbox interns create ada --approval-mode manual' : undefined}
        >
          <p>
            An intern is a long-running agent that asks here before it acts.
            {canUseModelsAndInterns()
              ? ' Create one above, or in a terminal:'
              : ' You see the interns that are shared with the workspace.'}
          </p>
        </EmptyState>
      )}
      {data && data.interns.length > 0 && (
        <>
          {data.questions.length > 0 ? <Inbox questions={data.questions} /> : <p class="dim">No open questions.</p>}
          <h2>All interns</h2>
          <InternList interns={data.interns} onDone={reload} />
        </>
      )}
    </>
  )
}
