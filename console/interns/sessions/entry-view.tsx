import type { InternEntry } from '../../api/types.ts'
import { ClockTime } from '../../components/text/timestamp.tsx'
import { exactCount } from '../../format/count.ts'
import { Diff } from '../diff.tsx'
import { escapeInvisible } from '../visible-text.ts'

type EntryOf<T extends InternEntry['type']> = Extract<InternEntry, { type: T }>

const entryLabels: Record<InternEntry['type'], string> = {
  prompt: 'prompt',
  message: 'message',
  reasoning: 'reasoning',
  tool_call: 'tool call',
  plan: 'plan',
  question: 'question',
  decision: 'rule',
  end: 'end',
}

/** An entry of the transcript. The text is untrusted and never becomes markup. */
export function EntryView({ entry }: { entry: InternEntry }) {
  return (
    <li class={`entry of-${entry.type}`}>
      <span class="dim">
        {entryLabels[entry.type]} <ClockTime time={entry.at} />
      </span>
      <div>
        <Body entry={entry} />
      </div>
    </li>
  )
}

function Body({ entry }: { entry: InternEntry }) {
  switch (entry.type) {
    case 'prompt':
    case 'message':
      return <p class="agent-text">{escapeInvisible(entry.text)}</p>
    case 'reasoning':
      return <p class="agent-text dim">{escapeInvisible(entry.text)}</p>
    case 'plan':
      return (
        <ol>
          {entry.steps.map(({ text, status }, at) => (
            <li key={at}>
              {escapeInvisible(text)} <span class="dim">{escapeInvisible(status.replace('_', ' '))}</span>
            </li>
          ))}
        </ol>
      )
    case 'tool_call':
      return <ToolCall entry={entry} />
    case 'question':
      return <QuestionEntry entry={entry} />
    case 'decision':
      return (
        <p class={entry.effect === 'deny' ? 'bad' : 'dim'}>
          {entry.effect} by {entry.scope} rule {entry.rule} of version {entry.version}
          {entry.name && ` (${escapeInvisible(entry.name)})`}: {escapeInvisible(entry.detail ?? entry.operation ?? '')}
        </p>
      )
    case 'end':
      return (
        <p class={entry.outcome === 'finished' ? 'dim' : 'bad'}>
          {entry.outcome}
          {entry.message && `: ${escapeInvisible(entry.message)}`}
          {entry.usage && ` · ${exactCount(entry.usage.total_tokens)} tokens`}
        </p>
      )
  }
}

const statusClasses = { pending: 'dim', in_progress: 'warn', completed: 'ok', failed: 'bad' }

function ToolCall({
  entry: { title, operation, status, input, output, changes, paths },
}: {
  entry: EntryOf<'tool_call'>
}) {
  return (
    <details>
      <summary>
        <span class={`dot ${statusClasses[status]}`} />
        {escapeInvisible(title ?? operation ?? 'tool call')} <span class="dim">{status.replace('_', ' ')}</span>
      </summary>
      {paths.length > 0 && <p class="dim">{paths.map(escapeInvisible).join(', ')}</p>}
      {input && <pre>{escapeInvisible(input)}</pre>}
      {changes.map(({ path, diff }) => (
        <Diff key={path} path={path} diff={diff} />
      ))}
      {output && <pre>{escapeInvisible(output)}</pre>}
    </details>
  )
}

function QuestionEntry({ entry }: { entry: EntryOf<'question'> }) {
  const { question, state, end_reason, answer, answered_by_user_id: id, answered_by_user_name: name } = entry
  const text = question.kind === 'permission' ? question.detail : question.message
  return (
    <>
      <p>
        {question.kind === 'permission' ? <code>{escapeInvisible(question.operation ?? 'permission')}</code> : 'form'}{' '}
        <span class={state === 'waiting' ? 'warn' : 'dim'}>
          {state === 'answered'
            ? escapeInvisible(answer ?? 'answered').replace('_', ' ')
            : end_reason === 'withdrawn'
              ? 'withdrawn by the agent'
              : state}
          {id && (
            <>
              {' by '}
              <span title={id}>{name === null ? id : escapeInvisible(name)}</span>
            </>
          )}
        </span>
      </p>
      {text && state !== 'waiting' && <pre>{escapeInvisible(text)}</pre>}
    </>
  )
}
