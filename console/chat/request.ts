import type { ChatRequest } from '../api/types.ts'
import type { Reply } from '../components/reply/reply.ts'

type Message = ChatRequest['messages'][number]

/** Settings of the requests, as the text of their inputs. `additionalFields` is a JSON object. */
export type Settings = {
  system: string
  temperature: string
  topP: string
  maxTokens: string
  effort: string
  additionalFields: string
}

export const noSettings: Settings = {
  system: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  effort: '',
  additionalFields: '',
}

/** A user message and the reply of each model. */
export type Turn = { id: number; text: string; images: string[]; replies: Readonly<Record<string, Reply>> }

/** The request fields of the settings. @throws Error if the additional fields are invalid. */
export function fieldsOf({ temperature, topP, maxTokens, effort, additionalFields }: Settings): Partial<ChatRequest> {
  return {
    ...parseAdditionalFields(additionalFields),
    ...(temperature !== '' && { temperature: Number(temperature) }),
    ...(topP !== '' && { top_p: Number(topP) }),
    ...(maxTokens !== '' && { max_tokens: Number(maxTokens) }),
    ...(effort !== '' && { reasoning: { effort } }),
  }
}

function parseAdditionalFields(json: string): object {
  if (json.trim() === '') return {}
  let fields: unknown
  try {
    fields = JSON.parse(json)
  } catch (error) {
    throw new Error(`Additional fields: ${error instanceof Error ? error.message : 'not JSON'}`)
  }
  if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return fields
  throw new Error('Additional fields must be a JSON object, such as {"seed": 7}.')
}

const userMessage = ({ text, images }: Pick<Turn, 'text' | 'images'>): Message => ({
  role: 'user',
  content:
    images.length === 0
      ? text
      : [
          // Providers reject empty text parts.
          ...(text === '' ? [] : [{ type: 'text', text }]),
          ...images.map((url) => ({ type: 'image_url', image_url: { url } })),
        ],
})

/** The previous turns that the model answered, with its own responses only. */
function historyFor(turns: Turn[], model: string): Message[] {
  return turns.flatMap((turn) => {
    const reply = turn.replies[model]
    if (!reply || reply.text === '') return []
    return [userMessage(turn), { role: 'assistant' as const, content: reply.text }]
  })
}

/** The request to one model. @param earlierMessages messages of a stored request. */
export function buildRequest(
  model: string,
  {
    turns,
    turn,
    earlierMessages,
    settings,
  }: { turns: Turn[]; turn: Turn; earlierMessages: Message[]; settings: Settings },
): ChatRequest {
  const system: Message[] = settings.system.trim() === '' ? [] : [{ role: 'system', content: settings.system }]
  return {
    ...fieldsOf(settings),
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [...system, ...earlierMessages, ...historyFor(turns, model), userMessage(turn)],
  }
}

/** The number of models that a chat can compare. */
export const maxModels = 4

/** The models in the query string. */
export const modelsFromQuery = (model: string | undefined): string[] =>
  [...new Set((model ?? '').split(',').filter(Boolean))].slice(0, maxModels)
