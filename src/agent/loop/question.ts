import type { AgentContext, CreateElicitationRequest, ElicitationPropertySchema } from '@agentclientprotocol/sdk'
import type { Elicitation, Field, FormAnswer } from '../tools/tool.ts'

/** `supportsUrls`: the client shows a URL of a question in its own form. */
type QuestionDeps = {
  client: AgentContext
  sessionId: string
  supportsForms: boolean
  supportsUrls: boolean
  signal: AbortSignal
}

/** Sends the user a form through the client. @throws Error, for the model, if the client does not support forms. */
export async function askForm(
  deps: QuestionDeps,
  toolCallId: string,
  message: string,
  fields: Field[],
): Promise<FormAnswer> {
  const requestedSchema = {
    type: 'object' as const,
    properties: Object.fromEntries(fields.map((field) => [field.name, toProperty(field)])),
    required: fields.filter((field) => field.required !== false).map((field) => field.name),
  }
  return elicit(deps, toolCallId, { mode: 'form', message, requestedSchema })
}

/** Sends the user a form or a URL. @throws Error, for the model, if the client does not support forms. */
export async function elicit(deps: QuestionDeps, toolCallId: string, question: Elicitation): Promise<FormAnswer> {
  if (!deps.supportsForms)
    throw new Error('This client cannot show questions. Put the question into your answer instead.')
  const request = question.mode === 'url' && !deps.supportsUrls ? urlAsForm(question) : question
  const response = await deps.client.request(
    'elicitation/create',
    { sessionId: deps.sessionId, toolCallId, ...request } as CreateElicitationRequest,
    { cancellationSignal: deps.signal, stopWaitingOnCancel: true },
  )
  deps.signal.throwIfAborted()
  if (response.action === 'accept') return { action: 'accept', content: readContent(response as { content?: unknown }) }
  return { action: response.action === 'decline' ? 'decline' : 'cancel' }
}

function urlAsForm({ message, url }: Extract<Elicitation, { mode: 'url' }>): Elicitation {
  const requestedSchema = { type: 'object', properties: {} }
  return { mode: 'form', message: `${message}\n\nOpen ${url} and accept when you are done.`, requestedSchema }
}

const readContent = (answer: { content?: unknown }) => (answer.content ?? {}) as Record<string, unknown>

function toProperty({ type, title, description, options }: Field): ElicitationPropertySchema {
  const annotations = { ...(title ? { title } : {}), ...(description ? { description } : {}) }
  if (type === 'array') return { ...annotations, type, items: { type: 'string', enum: options ?? [] } }
  if (type === 'string') return { ...annotations, type, ...(options ? { enum: options } : {}) }
  return { ...annotations, type }
}
