import type { AgentContext, ElicitationPropertySchema } from '@agentclientprotocol/sdk'
import type { Field, FormAnswer } from '../tools/tool.ts'

type QuestionDeps = { client: AgentContext; sessionId: string; supportsForms: boolean; signal: AbortSignal }

/** Sends the user a form through the client. @throws Error, for the model, if the client does not support forms. */
export async function askForm(
  deps: QuestionDeps,
  toolCallId: string,
  message: string,
  fields: Field[],
): Promise<FormAnswer> {
  if (!deps.supportsForms)
    throw new Error('This client cannot show questions. Put the question into your answer instead.')
  const requestedSchema = {
    type: 'object' as const,
    properties: Object.fromEntries(fields.map((field) => [field.name, toProperty(field)])),
    required: fields.filter((field) => field.required !== false).map((field) => field.name),
  }
  const answer = await deps.client.request(
    'elicitation/create',
    { mode: 'form', sessionId: deps.sessionId, toolCallId, message, requestedSchema },
    { cancellationSignal: deps.signal, stopWaitingOnCancel: true },
  )
  deps.signal.throwIfAborted()
  if (answer.action === 'accept') return { action: 'accept', content: readContent(answer as { content?: unknown }) }
  return { action: answer.action === 'decline' ? 'decline' : 'cancel' }
}

const readContent = (answer: { content?: unknown }) => (answer.content ?? {}) as Record<string, unknown>

function toProperty({ type, title, description, options }: Field): ElicitationPropertySchema {
  const annotations = { ...(title ? { title } : {}), ...(description ? { description } : {}) }
  if (type === 'array') return { ...annotations, type, items: { type: 'string', enum: options ?? [] } }
  if (type === 'string') return { ...annotations, type, ...(options ? { enum: options } : {}) }
  return { ...annotations, type }
}
