import type { Generation, GenerationContent } from '../../api/types.ts'

const paths: Record<string, string> = { 'openai-responses': '/responses', 'anthropic-messages': '/messages' }

/** Whether the request is a chat, and not a request for embeddings. */
export const isChat = ({ protocol }: Pick<Generation, 'protocol'>) => protocol !== 'embeddings'

type StoredMessage = { content?: unknown }

/** An input of an embeddings request, which is stored as a message: token ids, a text, or other content. */
function embeddingInput({ content }: StoredMessage): unknown {
  const [part] = Array.isArray(content) ? (content as { token_ids?: unknown }[]) : []
  return part?.token_ids ?? (typeof content === 'string' ? content : { content })
}

/** The request as a curl command, with the stored messages or a placeholder. */
export function curlOf(generation: Generation, origin: string, input?: GenerationContent['input']): string {
  // Stored messages have the format of chat completions for all protocols.
  const chatPath = (input === undefined ? paths[generation.protocol] : undefined) ?? '/chat/completions'
  const path = isChat(generation) ? chatPath : '/embeddings'
  const messages = (input?.messages ?? [{ role: 'user', content: '…' }]) as StoredMessage[]
  const body: Record<string, unknown> = { model: generation.requested_model, ...contentFields(path, messages) }
  if (generation.session_id !== null) body.session_id = generation.session_id
  Object.assign(body, input?.parameters)
  if (generation.streamed) body.stream = true
  const quoted = JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)
  return `curl ${generation.streamed ? '-N ' : ''}${origin}/api/v1${path} \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${quoted}'`
}

/** The fields with the messages, in the format of the path. `/messages` requires `max_tokens`. */
function contentFields(path: string, messages: StoredMessage[]): object {
  switch (path) {
    case '/embeddings':
      return { input: messages.map(embeddingInput) }
    case '/responses':
      return { input: messages }
    case '/messages':
      return { max_tokens: 1024, messages }
    default:
      return { messages }
  }
}

/** The path that opens the request in the chat. */
export const resendPath = ({ id, requested_model }: Generation) =>
  `/chat?model=${encodeURIComponent(requested_model)}&again=${encodeURIComponent(id)}`
