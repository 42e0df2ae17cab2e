import type { Generation, GenerationContent } from '../api/types.ts'

const paths: Record<string, string> = { 'openai-responses': '/responses', 'anthropic-messages': '/messages' }

/** Whether the request is a chat, and not a request for embeddings. */
export const isChat = ({ protocol }: Pick<Generation, 'protocol'>) => protocol !== 'embeddings'

type StoredMessage = { content?: unknown }

/** The input of embeddings that is stored as a message. */
function inputOf({ content }: StoredMessage): unknown {
  const [part] = Array.isArray(content) ? (content as { token_ids?: unknown }[]) : []
  return part?.token_ids ?? (typeof content === 'string' ? content : { content })
}

/** The request as a curl command, with the stored messages or a placeholder. */
export function curlOf(generation: Generation, origin: string, input?: GenerationContent['input']): string {
  // Stored messages have the format of chat completions for all protocols.
  const chatPath = (input === undefined ? paths[generation.protocol] : undefined) ?? '/chat/completions'
  const path = isChat(generation) ? chatPath : '/embeddings'
  const messages = [{ role: 'user', content: '…' }]
  const stored = (input?.messages ?? messages) as StoredMessage[]
  const body = {
    model: generation.requested_model,
    ...(path === '/messages' && { max_tokens: 1024 }),
    ...(path === '/embeddings'
      ? { input: stored.map(inputOf) }
      : path === '/responses'
        ? { input: messages }
        : { messages: stored }),
    ...(generation.session_id !== null && { session_id: generation.session_id }),
    ...input?.parameters,
    ...(generation.streamed && { stream: true }),
  }
  const quoted = JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)
  return `curl ${generation.streamed ? '-N ' : ''}${origin}/api/v1${path} \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${quoted}'`
}

/** The path that opens the request in the chat. */
export const resendPath = ({ id, requested_model }: Generation) =>
  `/chat?model=${encodeURIComponent(requested_model)}&again=${encodeURIComponent(id)}`
