import type { Generation, GenerationContent } from '../api/types.ts'

const paths: Record<string, string> = { 'openai-responses': '/responses', 'anthropic-messages': '/messages' }

/** The request as a line to paste; what it said, where that was kept, else a place for it. */
export function curlOf(generation: Generation, origin: string, input?: GenerationContent['input']): string {
  // What was kept is in the form of chat completions, whatever the client spoke.
  const path = (input === undefined ? paths[generation.protocol] : undefined) ?? '/chat/completions'
  const messages = [{ role: 'user', content: '…' }]
  const body = {
    model: generation.requested_model,
    ...(path === '/messages' && { max_tokens: 1024 }),
    ...(path === '/responses' ? { input: messages } : { messages: input?.messages ?? messages }),
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

/** The chat with the model that was asked, and the messages where they were kept. */
export const askAgainPath = ({ id, requested_model }: Generation) =>
  `/chat?model=${encodeURIComponent(requested_model)}&again=${encodeURIComponent(id)}`
