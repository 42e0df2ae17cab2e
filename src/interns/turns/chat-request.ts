import { isObject } from '#platform/core/is-object.ts'
import { ifThen } from '#platform/json/conditional-rules.ts'
import { z } from '#platform/json/schema.ts'
import { text } from '#platform/json/text.ts'
import { type ApprovalMode, approvalModes } from '../contract/approval-mode.ts'
import type { Attachment } from '../contract/attachments.ts'
import { chatFault } from '../contract/chat-fault.ts'
import { PromptBudget } from '../registry/intern-budget.ts'
import { idPattern } from '../remote/stored-text.ts'
import { AudioPart, FilePart, ImagePart, parseAttachment } from './attached-parts.ts'

const Id = text({ min: 1, max: 128 })

export const SessionId = text({ min: 1, max: 256 }).refine((id) => idPattern.test(id), {
  error: 'must not contain control characters',
})

const TextPart = z.object({ type: z.literal('text'), text: z.string() })

const Content = z.union([z.string(), z.array(TextPart), z.null()], {
  error: 'must be text, an array of text parts, or null',
})

/** The content of user messages. Only the last message is used, but clients send the whole history. */
const UserContent = z.union(
  [z.string(), z.array(z.discriminatedUnion('type', [TextPart, ImagePart, FilePart, AudioPart])), z.null()],
  { error: 'must be text, an array of parts (text, image_url, file or input_audio), or null' },
)

const EchoedToolCall = z.object({ id: Id, function: z.object({ name: z.string(), arguments: z.string() }) })

const Message = z.discriminatedUnion(
  'role',
  [
    z.object({ role: z.enum(['system', 'developer']), content: Content }),
    z.object({ role: z.literal('user'), content: UserContent }),
    z.object({ role: z.literal('assistant'), content: Content, tool_calls: z.array(EchoedToolCall).optional() }),
    z.object({ role: z.literal('tool'), content: Content, tool_call_id: Id }),
  ],
  { error: 'must be "system", "developer", "user", "assistant" or "tool"' },
)

const streamOnlyError = 'must be true, unless `background` is true or the path names a session'

const StreamOptions = z.object({
  include_activity: z
    .boolean()
    .nullish()
    .describe('Whether to stream chunks with `activity`: tool calls and plans of the intern.'),
})

/** `stream_options` is a field of chat completions, and only one of its fields is for interns. Other values have no effect. */
const ignoreOtherTypes = (options: unknown) => (isObject(options) ? options : undefined)

const ChatFields = z.object({
  messages: z.array(Message).min(1),
  stream: z
    .boolean({ error: streamOnlyError })
    .optional()
    .describe('Must be true, unless `background` is true or the path names a session.'),
  background: z
    .boolean()
    .nullish()
    .describe(
      'Whether the run continues after its caller disconnects. Without `stream`, the response is 202 with the run, once it has started.',
    ),
  budget: PromptBudget.nullish(),
  model: text({ min: 1, max: 256 }).optional().describe('Accepted and ignored.'),
  stream_options: z.preprocess(ignoreOtherTypes, StreamOptions.nullish()),
  session_id: SessionId.optional().describe('The session to continue. Defaults to a new one.'),
  approval_mode: z
    .enum(approvalModes)
    .optional()
    .describe(
      'Whether the intern asks before it acts. Defaults to the `approval_mode` of the intern, which is `self-drive` for a new intern.',
    ),
})

const inBackground = { required: ['background'], properties: { background: { const: true } } }
const requiresStreaming = { required: ['stream'], properties: { stream: { const: true } } }

/**
 * A prompt for an intern, or the answer to its question. Other chat fields are ignored: the intern chooses its own sampling and tools.
 */
export const InternChatRequest = ChatFields.refine(({ stream, background }) => stream === true || background === true, {
  error: streamOnlyError,
  path: ['stream'],
}).meta({ id: 'InternChatRequest', ...ifThen(inBackground, {}, requiresStreaming) })
export type InternChatRequest = z.infer<typeof InternChatRequest>

/** The request of the route with the session in its path, where the reply need not be streamed. */
export const InternSessionChatRequest = ChatFields.extend({
  stream: z.boolean().nullish().describe('Whether the reply is streamed.'),
}).meta({ id: 'InternSessionChatRequest' })

/** The maximum length of a prompt, in Unicode characters. */
const maxPromptLength = 32_000

/** An intern asks a question as a tool call whose id is the id of the question. The client answers with a `tool` message. */
export type TurnInput =
  | {
      kind: 'prompt'
      prompt: string
      attachments: Attachment[]
      mode: ApprovalMode | undefined
      sessionId: string | undefined
    }
  | { kind: 'answer'; answer: string; questionId: string; sessionId: string }

/** Reads the last message. The intern stores earlier messages itself. */
export function parseTurnInput({ messages, session_id: sessionId, approval_mode: mode }: InternChatRequest): TurnInput {
  const last = messages.at(-1)
  if (last?.role === 'user') {
    const attachments = parseAttachments(last.content)
    return { kind: 'prompt', prompt: parsePrompt(last.content, attachments), attachments, mode, sessionId }
  }
  if (last?.role !== 'tool') {
    throw invalidRequest(`the last message must have the role "user" or "tool", not "${last?.role}"`)
  }
  if (sessionId === undefined) throw invalidRequest('session_id is required when the last message has the role "tool"')
  return { kind: 'answer', answer: joinText(last.content), questionId: last.tool_call_id, sessionId }
}

/**
 * The approval mode of a prompt. A prompt cannot use `self-drive` if the intern is `manual`.
 * @throws Fault `bad_request`.
 */
export function resolveApprovalMode(requested: ApprovalMode | undefined, internMode: ApprovalMode): ApprovalMode {
  if (internMode === 'manual' && requested === 'self-drive') {
    throw invalidRequest('approval_mode: this intern is "manual", and a prompt cannot change it to "self-drive"')
  }
  return requested ?? internMode
}

const maxAttachments = 20

function parseAttachments(content: z.infer<typeof UserContent>): Attachment[] {
  if (typeof content === 'string' || content === null) return []
  const attachments = content.flatMap((part, at) => {
    const createError = (problem: string) => invalidRequest(`content[${at}] of the last message: ${problem}`)
    return part.type === 'text' ? [] : [parseAttachment(part, at, createError)]
  })
  if (attachments.length > maxAttachments) {
    throw invalidRequest(
      `the last message has ${attachments.length} files and images; the maximum is ${maxAttachments}`,
    )
  }
  return attachments
}

function parsePrompt(content: z.infer<typeof UserContent>, attachments: Attachment[]): string {
  const prompt = joinText(content)
  if (prompt === '' && attachments.length === 0) throw invalidRequest('the text of the last message is empty')
  // A character takes one or two UTF-16 units, so a text of few units needs no count.
  if (prompt.length > maxPromptLength && [...prompt].length > maxPromptLength) {
    throw invalidRequest(`the text of the last message has more than ${maxPromptLength} characters`)
  }
  return prompt
}

function joinText(content: z.infer<typeof UserContent>): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}

const invalidRequest = (problem: string) => chatFault('invalid', 'bad_request', `Invalid request: ${problem}.`)
