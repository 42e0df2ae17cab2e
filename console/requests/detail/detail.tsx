import '../../components/lazy-chunk.ts'
import { root } from '../../api/address/root.ts'
import { useGet } from '../../api/resource.ts'
import { canUseModelsAndInterns } from '../../api/session.ts'
import type { Generation, Key } from '../../api/types.ts'
import { Copy } from '../../components/page/copy-button.tsx'
import { FailureState, Loading } from '../../components/page/page-states.tsx'
import { Panel } from '../../components/page/panel.tsx'
import { type Fact, Facts } from '../../components/text/facts.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { exactTime } from '../../format/time.ts'
import { Outcome } from '../list/columns.tsx'
import { Conversation } from './conversation.tsx'
import { Cost } from './cost-lines.tsx'
import { curlOf, isChat, resendPath } from './curl.ts'
import { ProviderErrors } from './provider-errors.tsx'
import { failureSummary, timelineOf } from './timeline.ts'
import { useContent } from './use-content.ts'
import { Waterfall } from './waterfall.tsx'

type DetailProps = {
  requestId: string
  row: Generation | undefined
  keys: ReadonlyMap<string, Key>
  /** Called after a change of the request, which the list must load again. */
  onChanged: () => void
  onClose: () => void
}

/** The details of a request: timeline, cost, prompt and response. */
export function Detail({ requestId, row, keys, onChanged, onClose }: DetailProps) {
  const response = useGet('GET /generation', row ? undefined : { query: { id: requestId } })
  const generation = row ?? (response.isCurrent ? response.data?.data : undefined)
  return (
    <Panel title={generation?.model ?? 'Request'} onClose={onClose}>
      {!generation && response.failure && <FailureState failure={response.failure} onRetry={response.reload} />}
      {!generation && !response.failure && <Loading />}
      {generation && (
        <RequestDetails
          generation={generation}
          paidBy={keys.get(generation.key_hash)}
          onChanged={() => {
            response.reload()
            onChanged()
          }}
        />
      )}
    </Panel>
  )
}

type RequestProps = { generation: Generation; paidBy: Key | undefined }

function RequestDetails({ generation, paidBy, onChanged }: RequestProps & { onChanged: () => void }) {
  const canBeStored = generation.outcome !== 'refused'
  const content = useContent(canBeStored && canUseModelsAndInterns() ? generation.id : undefined)
  const hasProviderError = generation.attempts.some(({ error }) => error)
  const reason = generation.error?.message ?? (hasProviderError ? undefined : failureSummary(generation))
  const input = content.isCurrent ? content.data?.data.input : undefined
  return (
    <>
      <p>
        <Outcome row={generation} />
      </p>
      <ProviderErrors attempts={generation.attempts} />
      {reason && <p class="refusal">{reason}</p>}
      <p class="dim">
        {exactTime(new Date(generation.created_at))} · <RelativeTime time={generation.created_at} />
      </p>
      <h3>Timeline</h3>
      <Waterfall steps={timelineOf(generation)} total={generation.generation_time ?? 0} />
      {(generation.tokens_prompt ?? 0) + (generation.tokens_completion ?? 0) + generation.limit_cost > 0 && (
        <>
          <h3>Cost</h3>
          <Cost generation={generation} paidBy={paidBy} onChanged={onChanged} />
        </>
      )}
      {canBeStored && (
        <>
          <h3>Prompt and response</h3>
          {!canUseModelsAndInterns() ? (
            <p class="dim">Viewers cannot read prompts. An owner or admin can change your role.</p>
          ) : content.isVisible ? (
            <Conversation content={content} />
          ) : (
            <button type="button" onClick={content.show}>
              Show
            </button>
          )}
        </>
      )}
      <h3>Details</h3>
      <RequestFacts generation={generation} paidBy={paidBy} />
      <div class="actions">
        {canUseModelsAndInterns() && isChat(generation) && (
          <a class="button" href={resendPath(generation)}>
            Open in chat
          </a>
        )}
        <Copy text={curlOf(generation, location.origin + root, input)} message="Copied as curl">
          Copy as curl
        </Copy>
        <Copy text={location.href} message="Link copied">
          Copy link
        </Copy>
      </div>
    </>
  )
}

/** Further details. Values that are the same for most requests are omitted. */
function RequestFacts({ generation, paidBy }: RequestProps) {
  const {
    session_id: session,
    requested_model,
    model,
    upstream_model,
    throughput,
    app_title,
    http_referer,
  } = generation
  const facts: Fact[] = [
    ['id', <code key="id">{generation.id}</code>],
    ['request id', <code key="request">{generation.request_id}</code>],
    ['upstream id', generation.upstream_id && <code key="upstream">{generation.upstream_id}</code>],
    [
      'key',
      <a key="key" href={`/requests?api_key_hash=${generation.key_hash}`}>
        {paidBy?.name ?? `${generation.key_hash.slice(0, 12)}…`}
      </a>,
    ],
    ['member', paidBy?.creator_name ?? generation.user_id],
    [
      'session',
      session && (
        <a key="session" href={`/requests?session_id=${encodeURIComponent(session)}`}>
          {session}
        </a>
      ),
    ],
    ['requested model', requested_model !== model && requested_model],
    ['upstream model', upstream_model !== model && upstream_model],
    ['protocol', `${generation.protocol}${generation.streamed ? ', streamed' : ''}`],
    ['finish reason', generation.native_finish_reason ?? generation.finish_reason],
    ['throughput', throughput !== null && `${throughput.toFixed(0)} tokens/s after the first token`],
    ['tool calls', generation.tool_calls > 0 && String(generation.tool_calls)],
    ['service tier', generation.service_tier],
    ['region', generation.region !== 'global' && generation.region],
    ['app', app_title ?? http_referer],
  ]
  return <Facts class="facts" facts={facts} />
}
