import { useState } from 'preact/hooks'
import type { Resource } from '../../api/resource.ts'
import { canManage } from '../../api/session.ts'
import type { GenerationContent } from '../../api/types.ts'
import { Markdown } from '../../components/text/markdown.tsx'
import { countText } from '../../format/count.ts'
import { type ContentMessage, promptMessages, responseMessage } from './content-messages.ts'

/** The number of last messages displayed at first. */
const initialCount = 3

/** The stored prompt and response. */
export function Conversation({ content }: { content: Resource<{ data: GenerationContent }> }) {
  const { data, failure } = content
  if (failure) return <p class="dim">{failure.status === 404 ? <ContentNotStored /> : failure.message}</p>
  if (!data) return null
  const { output, error, truncated } = data.data
  const response = responseMessage(data.data)
  return (
    <div class="conversation">
      <Prompt messages={promptMessages(data.data)} />
      {output.reasoning !== null && (
        <details>
          <summary>reasoning</summary>
          <pre>{output.reasoning}</pre>
        </details>
      )}
      {response && <Message message={response} />}
      {error?.message && <p class="refusal">{error.message}</p>}
      {truncated && <p class="dim">Some text is missing, because it was too long to be stored.</p>}
    </div>
  )
}

function ContentNotStored() {
  return (
    <>
      Not stored. Workspaces store prompts and responses only if this is{' '}
      {canManage() ? <a href="/keys/workspaces">enabled</a> : 'enabled by an owner or admin'}. Refused requests are
      never stored.
    </>
  )
}

function Prompt({ messages }: { messages: ContentMessage[] }) {
  const [isExpanded, setExpanded] = useState(false)
  const hiddenCount = isExpanded ? 0 : Math.max(0, messages.length - initialCount)
  return (
    <>
      {hiddenCount > 0 && (
        <button type="button" onClick={() => setExpanded(true)}>
          {countText(hiddenCount, 'earlier message')}
        </button>
      )}
      {messages.slice(hiddenCount).map((message, index) => (
        <Message key={hiddenCount + index} message={message} />
      ))}
    </>
  )
}

function Message({ message: { role, text, calls } }: { message: ContentMessage }) {
  return (
    <section class="said">
      <h4 class="dim">{role}</h4>
      {text !== '' && (role === 'assistant' ? <Markdown text={text} /> : <div class="plain">{text}</div>)}
      {calls.map(({ name, input }, index) => (
        <details key={`${index} ${name}`}>
          <summary>calls {name}</summary>
          <pre>{input}</pre>
        </details>
      ))}
    </section>
  )
}
