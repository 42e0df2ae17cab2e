import type {
  AgentContext,
  ElicitationPropertySchema,
  RequestPermissionRequest,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk'
import { leavingAnswer } from '../chat/answers.ts'
import type { AgentQuestion, Field } from '../chat/conversation.ts'
import type { ApiClient } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'
import { type Change, diffContents, kindOf, textContent } from './updates.ts'

type Permission = Extract<AgentQuestion, { kind: 'permission' }>
type Form = Extract<AgentQuestion, { kind: 'elicitation' }>

export type EditorDeps = {
  client: ApiClient
  intern: string
  editor: AgentContext
  sessionId: string
  /** Whether the editor shows forms. */
  canAsk: boolean
  signal: AbortSignal
}

/** Asks the person at the editor what the intern asks. @returns the answer for the intern. */
export function askEditor(deps: EditorDeps, asked: AgentQuestion): Promise<string> {
  return asked.kind === 'permission' ? permit(deps, asked) : fillIn(deps, asked)
}

const names = {
  allow_once: 'Allow once',
  allow_always: 'Always allow',
  reject_once: 'Reject',
  reject_always: 'Never allow',
} as const
type Option = keyof typeof names

async function permit(deps: EditorDeps, asked: Permission): Promise<string> {
  const { editor, sessionId, signal } = deps
  const options = asked.options
    .filter((option): option is Option => Object.hasOwn(names, option))
    .flatMap((kind) => {
      const ofKind = (asked.choices ?? []).filter((choice) => choice.kind === kind)
      if (ofKind.length < 2) return [{ optionId: kind as string, kind, name: names[kind] as string }]
      return ofKind.map(({ id, name }) => ({ optionId: id, kind, name }))
    })
  const params: RequestPermissionRequest = { sessionId, toolCall: await toolCallOf(deps, asked), options }
  const until = { cancellationSignal: signal, stopWaitingOnCancel: true }
  const { outcome } = await editor.request('session/request_permission', params, until)
  signal.throwIfAborted()
  return outcome.outcome === 'selected' ? outcome.optionId : leavingAnswer(asked)
}

/** With all of what the intern wants to do, however long: whoever consents must see it. */
async function toolCallOf({ client, intern }: EditorDeps, asked: Permission): Promise<ToolCallUpdate> {
  const path = internPath(intern, `/questions/${encodeURIComponent(asked.id)}`)
  const { data } = await client.ask<{ data: Whole }>('GET', path)
  const { command, detail = null, paths, changes } = data
  const content = changes.flatMap(diffContents)
  if (content.length === 0 && detail !== null) content.push({ type: 'content', content: textContent(detail) })
  return {
    toolCallId: asked.id,
    title: command ?? asked.detail ?? asked.operation ?? 'permission',
    kind: kindOf(asked.operation),
    status: 'pending',
    content,
    locations: paths.map((one) => ({ path: one })),
    ...(command !== null && { rawInput: { command } }),
  }
}

type Whole = { command: string | null; detail?: string; paths: string[]; changes: Change[] }

async function fillIn({ editor, sessionId, canAsk, signal }: EditorDeps, asked: Form): Promise<string> {
  if (!canAsk) {
    const text = `\n\n(The intern asks: ${asked.message}\nThis editor shows no forms, so it was told that nobody fills it in.)\n\n`
    const update = { sessionUpdate: 'agent_message_chunk' as const, content: textContent(text) }
    await editor.notify('session/update', { sessionId, update })
    return JSON.stringify({ action: 'decline' })
  }
  const requestedSchema = {
    type: 'object' as const,
    properties: Object.fromEntries(asked.fields.map((field) => [field.name, propertyOf(field)])),
    required: asked.fields.filter(({ required }) => required).map(({ name }) => name),
  }
  const answer = await editor.request(
    'elicitation/create',
    { mode: 'form', sessionId, message: asked.message, requestedSchema },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  )
  signal.throwIfAborted()
  const { action, content = {} } = answer as { action: string; content?: unknown }
  return JSON.stringify(action === 'accept' ? { action, content } : { action })
}

function propertyOf({ type, options }: Field): ElicitationPropertySchema {
  if (type === 'array') return { type, items: { type: 'string', enum: options ?? [] } }
  if (type === 'string' && options) return { type, enum: options }
  return { type } as ElicitationPropertySchema
}
