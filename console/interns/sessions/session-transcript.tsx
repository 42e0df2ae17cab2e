import { currentSession } from '../../api/session.ts'
import type { Intern, InternEntry, InternSessionRequest } from '../../api/types.ts'
import { ClockTime } from '../../components/text/timestamp.tsx'
import { Usd } from '../../components/text/usd.tsx'
import { countText, exactCount } from '../../format/count.ts'
import { duration } from '../../format/time.ts'
import { Diff } from '../diff.tsx'
import { escapeInvisible } from '../visible-text.ts'
import { EntryView } from './entry-view.tsx'
import { fileChanges, timelineItems } from './session-timeline.ts'
import { type SessionRequests, useSessionRequests } from './use-session-requests.ts'

type Props = { intern: Intern; sessionId: string; turns: number; entries: readonly InternEntry[] | undefined }

/** The transcript of a session with its model requests, in chronological order, below its totals. */
export function SessionTranscript({ intern, sessionId, turns, entries }: Props) {
  const modelRequests = useSessionRequests(intern.id, sessionId, entries?.length)
  const session = currentSession()
  // Developers can open the requests of an intern only if they created it.
  const canOpen = session?.role !== 'developer' || session.member.id === intern.creator_user_id
  return (
    <>
      {entries && <Totals turns={turns} entries={entries} modelRequests={modelRequests} />}
      <ol class="transcript" aria-label="Transcript">
        {timelineItems(entries, modelRequests?.requests).map((item) =>
          'entry' in item ? (
            <EntryView key={item.entry.id} entry={item.entry} />
          ) : (
            <RequestEntry key={item.request.id} request={item.request} canOpen={canOpen} />
          ),
        )}
      </ol>
    </>
  )
}

type TotalsProps = { turns: number; entries: readonly InternEntry[]; modelRequests: SessionRequests | undefined }

function Totals({ turns, entries, modelRequests }: TotalsProps) {
  const calls = entries.filter(({ type }) => type === 'tool_call').length
  const files = fileChanges(entries)
  return (
    <section aria-label="Totals">
      <p>
        {countText(turns, 'turn')} · {countText(calls, 'tool call')} ·{' '}
        {modelRequests ? (
          <>
            {countText(modelRequests.count, 'model request')} · <Usd amount={modelRequests.costUsd} />
          </>
        ) : (
          <span class="dim">model requests are loading</span>
        )}
      </p>
      {files.length > 0 && (
        <details>
          <summary>{countText(files.length, 'changed file')}</summary>
          {files.map(({ path, diffs }) => (
            <section key={path} aria-label={escapeInvisible(path)}>
              {diffs.map((diff, at) => (
                <Diff key={at} path={path} diff={diff} />
              ))}
            </section>
          ))}
        </details>
      )}
    </section>
  )
}

function RequestEntry({ request, canOpen }: { request: InternSessionRequest; canOpen: boolean }) {
  const { id, created_at, model, provider_name, outcome, tokens_prompt, tokens_completion } = request
  const name = `${model}${provider_name ? ` by ${provider_name}` : ''}`
  return (
    <li class="entry of-request">
      <span class="dim">
        model request <ClockTime time={created_at} />
      </span>
      <p>
        {canOpen ? <a href={`/requests/${id}`}>{name}</a> : name} ·{' '}
        <span class="dim">
          {exactCount(tokens_prompt)} + {exactCount(tokens_completion)} tokens
          {request.generation_time !== null && ` · ${duration(request.generation_time)}`}
        </span>{' '}
        · <Usd amount={request.cost_usd} />
        {outcome !== 'success' && <span class="bad"> · {outcome.replace('_', ' ')}</span>}
        {request.is_shared && <span class="dim"> · may belong to another session of this intern</span>}
      </p>
    </li>
  )
}
