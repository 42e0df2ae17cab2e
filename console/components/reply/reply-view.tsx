import { exactCount } from '../../format/count.ts'
import { duration } from '../../format/time.ts'
import { Copy } from '../page/copy-button.tsx'
import { Markdown } from '../text/markdown.tsx'
import { Usd } from '../text/usd.tsx'
import { type Reply, tokensPerSecond } from './reply.ts'

type ReplyProps = { name: string; reply: Reply; onRetry: () => void }

/** A reply with its duration, tokens and cost. */
export function ReplyView({ name, reply, onRetry }: ReplyProps) {
  const { state, text, reasoning, calls, images, failure } = reply
  return (
    <article class="reply" aria-label={`Response of ${name}`} aria-busy={state === 'waiting' || state === 'streaming'}>
      <h2>{name}</h2>
      {reasoning !== '' && (
        <details>
          <summary>Reasoning</summary>
          <div class="reasoning dim">{reasoning}</div>
        </details>
      )}
      {text !== '' && <Markdown text={text} />}
      {images.filter(isDataUrl).map((url, index) => (
        <img key={`${index}`} src={url} alt={`Output ${index + 1} of ${name}`} />
      ))}
      {calls.map(({ name: tool, input }, index) => (
        <details key={`${index} ${tool}`} open>
          <summary>Tool call: {tool}</summary>
          <pre>{input}</pre>
        </details>
      ))}
      {state === 'waiting' && <p class="dim">…</p>}
      {failure && (
        <p class="reply-failed" role="alert">
          {failure.message} {failure.reason && <span class="dim">{failure.reason}</span>}{' '}
          {failure.requestId && <code>{failure.requestId}</code>}
        </p>
      )}
      {/* Screen readers announce the end of a response. They would announce streamed text word by word. */}
      <p class="visually-hidden" role="status">
        {state === 'complete' && `${name}: complete`}
      </p>
      <ReplyFooter reply={reply} onRetry={onRetry} />
    </article>
  )
}

/** Only data URLs: the content security policy blocks other hosts. */
const isDataUrl = (url: string) => url.startsWith('data:image/')

const endings: Record<string, string> = {
  length: 'truncated: maximum length',
  content_filter: 'truncated by a content filter',
}

/** Provider, time to first token, speed and price. */
function ReplyFooter({ reply, onRetry }: Omit<ReplyProps, 'name'>) {
  const { state, provider, firstMs, totalMs, usage, finish, generationId, text } = reply
  const speed = tokensPerSecond(reply)
  const isOver = state === 'complete' || state === 'failed' || state === 'stopped'
  return (
    <footer class="reply-footer dim">
      {provider && <span>{provider}</span>}
      {firstMs !== undefined && <span title="time to first token">first {duration(firstMs)}</span>}
      {totalMs !== undefined && <span title="total">{duration(totalMs)}</span>}
      {speed !== undefined && <span>{speed.toFixed(0)} tokens/s</span>}
      {usage && (
        <span title="prompt tokens and completion tokens">
          {exactCount(usage.prompt)} → {exactCount(usage.completion)}
        </span>
      )}
      {usage?.cost !== undefined && <Usd amount={usage.cost} />}
      {finish && endings[finish] && <span class="warn">{endings[finish]}</span>}
      {state === 'stopped' && <span class="warn">stopped</span>}
      {isOver && (
        <span class="reply-actions">
          {generationId && <a href={`/requests/${encodeURIComponent(generationId)}`}>View request</a>}
          {text !== '' && <Copy text={text}>Copy</Copy>}
          <button type="button" onClick={onRetry}>
            Retry
          </button>
        </span>
      )}
    </footer>
  )
}
