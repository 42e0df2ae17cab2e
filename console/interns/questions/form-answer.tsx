import { useState } from 'preact/hooks'
import { canUseModelsAndInterns } from '../../api/session.ts'
import type { InternElicitation } from '../../api/types.ts'
import { Problem } from '../../components/page/problem.tsx'
import { escapeInvisible } from '../visible-text.ts'
import { type Field, parseAnswer } from './answer-form.ts'

type FormReply = { action: 'accept'; content: Record<string, unknown> } | { action: 'decline' | 'cancel' }
type Props = { question: InternElicitation; isSent: boolean; onSend: (reply: FormReply) => void }

/** The form of a question with fields. */
export function FormAnswer({ question: { id, message, fields }, isSent, onSend }: Props) {
  const [problem, setProblem] = useState<string>()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    try {
      onSend({ action: 'accept', content: parseAnswer(fields, new FormData(event.currentTarget as HTMLFormElement)) })
      setProblem(undefined)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <form onSubmit={submit}>
      <p class="agent-text">{escapeInvisible(message)}</p>
      {fields.map((field) => (
        <FieldInput key={field.name} field={field} questionId={id} />
      ))}
      <Problem text={problem && escapeInvisible(problem)} />
      {canUseModelsAndInterns() ? (
        <div class="answers">
          <button type="submit" class="main" disabled={isSent}>
            Send
          </button>
          <button type="button" data-key="r" disabled={isSent} onClick={() => onSend({ action: 'decline' })}>
            Decline
          </button>
          <button type="button" class="bare" disabled={isSent} onClick={() => onSend({ action: 'cancel' })}>
            Cancel
          </button>
          {isSent && <span class="dim">sent</span>}
        </div>
      ) : (
        <span class="dim">Viewers cannot answer.</span>
      )}
    </form>
  )
}

function FieldInput({ questionId, field: { name, type, required, options } }: { field: Field; questionId: string }) {
  const title = `${escapeInvisible(name)}${required ? '' : ' (optional)'}`
  const choices = type === 'boolean' ? ['yes', 'no'] : options
  if (type === 'array' && choices)
    return (
      <fieldset>
        <legend>{title}</legend>
        {choices.map((option) => (
          <label key={option}>
            <input type="checkbox" name={name} value={option} /> {escapeInvisible(option)}
          </label>
        ))}
      </fieldset>
    )
  const id = `${questionId} ${name}`.replaceAll(' ', '-')
  return (
    <div class="field">
      <label for={id}>{title}</label>
      {choices ? (
        <select id={id} name={name} required={required}>
          <option value="">–</option>
          {choices.map((option) => (
            <option key={option} value={option}>
              {escapeInvisible(option)}
            </option>
          ))}
        </select>
      ) : type === 'integer' || type === 'number' ? (
        <input id={id} name={name} required={required} type="number" step={type === 'integer' ? 1 : 'any'} />
      ) : (
        <input id={id} name={name} required={required} placeholder={type === 'array' ? 'separated by commas' : ''} />
      )}
    </div>
  )
}
