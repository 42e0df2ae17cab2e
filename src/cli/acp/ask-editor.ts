import type {
  AgentContext,
  ElicitationPropertySchema,
  RequestPermissionRequest,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk'
import { cancelAnswer } from '../chat/ask-user.ts'
import type { AgentQuestion, Field } from '../chat/conversation.ts'
import type { ApiClient } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'
import { type Change, diffContents, textContent, toToolKind } from './updates.ts'

type Permission = Extract<AgentQuestion, { kind: 'permission' }>
type Form = Extract<AgentQuestion, { kind: 'elicitation' }>

export type EditorDeps = {
  client: ApiClient
  intern: string
  editor: AgentContext
  sessionId: string
  /** Whether the editor displays forms. */
  supportsForms: boolean
  signal: AbortSignal
}

/** Forwards a question of the intern to the editor. @returns the answer for the intern */
export function askEditor(deps: EditorDeps, question: AgentQuestion): Promise<string> {
  return question.kind === 'permission' ? askPermission(deps, question) : askForm(deps, question)
}

const optionNames = {
  allow_once: 'Allow once',
  allow_always: 'Always allow',
  reject_once: 'Reject',
  reject_always: 'Never allow',
} as const
type OptionKind = keyof typeof optionNames

async function askPermission(deps: EditorDeps, question: Permission): Promise<string> {
  const { editor, sessionId, signal } = deps
  const options = question.options
    .filter((option): option is OptionKind => Object.hasOwn(optionNames, option))
    .flatMap((kind) => {
      const choicesOfKind = (question.choices ?? []).filter((choice) => choice.kind === kind)
      // The kind itself selects a single choice.
      if (choicesOfKind.length < 2) return [{ optionId: kind as string, kind, name: optionNames[kind] as string }]
      return choicesOfKind.map(({ id, name }) => ({ optionId: id, kind, name }))
    })
  const params: RequestPermissionRequest = { sessionId, toolCall: await buildToolCall(deps, question), options }
  const cancellation = { cancellationSignal: signal, stopWaitingOnCancel: true }
  const { outcome } = await editor.request('session/request_permission', params, cancellation)
  signal.throwIfAborted()
  return outcome.outcome === 'selected' ? outcome.optionId : cancelAnswer(question)
}

/** The tool call with all details of the operation, because the user must see what they allow. */
async function buildToolCall({ client, intern }: EditorDeps, question: Permission): Promise<ToolCallUpdate> {
  const path = internPath(intern, `/questions/${encodeURIComponent(question.id)}`)
  const { data } = await client.request<{ data: QuestionDetails }>('GET', path)
  const { command, detail = null, paths, changes } = data
  const content = changes.flatMap(diffContents)
  if (content.length === 0 && detail !== null) content.push({ type: 'content', content: textContent(detail) })
  const toolCall: ToolCallUpdate = {
    toolCallId: question.id,
    title: command ?? question.detail ?? question.operation ?? 'permission',
    kind: toToolKind(question.operation),
    status: 'pending',
    content,
    locations: paths.map((changedPath) => ({ path: changedPath })),
  }
  if (command !== null) toolCall.rawInput = { command }
  return toolCall
}

type QuestionDetails = { command: string | null; detail?: string; paths: string[]; changes: Change[] }

async function askForm({ editor, sessionId, supportsForms, signal }: EditorDeps, question: Form): Promise<string> {
  if (!supportsForms) {
    const text = `\n\n(The intern asks: ${question.message}\nThis editor does not support forms, so the question was declined.)\n\n`
    const update = { sessionUpdate: 'agent_message_chunk' as const, content: textContent(text) }
    await editor.notify('session/update', { sessionId, update })
    return JSON.stringify({ action: 'decline' })
  }
  const requestedSchema = {
    type: 'object' as const,
    properties: Object.fromEntries(question.fields.map((field) => [field.name, toFormProperty(field)])),
    required: question.fields.filter(({ required }) => required).map(({ name }) => name),
  }
  const answer = await editor.request(
    'elicitation/create',
    { mode: 'form', sessionId, message: question.message, requestedSchema },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  )
  signal.throwIfAborted()
  const { action, content = {} } = answer as { action: string; content?: unknown }
  return JSON.stringify(action === 'accept' ? { action, content } : { action })
}

function toFormProperty({ type, options }: Field): ElicitationPropertySchema {
  if (type === 'array') return { type, items: { type: 'string', enum: options ?? [] } }
  if (type === 'string' && options) return { type, enum: options }
  return { type } as ElicitationPropertySchema
}
