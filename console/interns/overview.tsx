import { asks } from '../api/session.ts'
import { Failed, Loading, Nothing } from '../components/page-states.tsx'
import { Inbox } from './inbox.tsx'
import { AllInterns } from './intern-list.tsx'
import { useWorld } from './intern-updates.ts'

/** Who waits for me, and how they all are. */
export function Overview() {
  const { data, failure, reload } = useWorld()
  return (
    <>
      {asks() && data && data.waiting.length > 0 && (
        <p class="dim key-hints">
          <kbd>a</kbd> allow once <kbd>A</kbd> always <kbd>r</kbd> reject <kbd>j</kbd> <kbd>k</kbd> move
        </p>
      )}
      {failure?.status === 404 ? (
        <Nothing title="You do not have access to interns">
          <p>Interns are disabled for this organization. An owner can enable them.</p>
        </Nothing>
      ) : (
        failure && <Failed failure={failure} again={reload} />
      )}
      {!failure && !data && <Loading />}
      {data?.interns.length === 0 && (
        <Nothing
          title="No interns yet"
          {...(asks() && { paste: 'npx signalbox interns create ada --approval-mode manual' })}
        >
          <p>
            An intern is a long-running agent that asks here before it acts.
            {asks() ? ' To create one:' : ' You see the interns that are shared with the workspace.'}
          </p>
        </Nothing>
      )}
      {data && data.interns.length > 0 && (
        <>
          {data.waiting.length > 0 ? <Inbox waiting={data.waiting} /> : <p class="dim">No open questions.</p>}
          <h2>All interns</h2>
          <AllInterns interns={data.interns} after={reload} />
        </>
      )}
    </>
  )
}
