import { Fault } from '#platform/core/fault.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import { noteDropped } from './dropped-fields.ts'
import type { Repair } from './repair.ts'

type Part = { type?: unknown } | null
type Message = { role?: unknown; content?: unknown } | null

/**
 * Creates the repair that removes images from assistant messages. Anthropic and OpenAI's Responses API accept images only from
 * users and tools.
 * @param field the field of the body with the messages. @param partType the type of image parts.
 */
export function assistantImageRepair(field: 'messages' | 'input', partType: string): Repair {
  const isImage = (part: Part) => part?.type === partType
  return (body, dropped) => {
    if (!Array.isArray(body[field])) return body
    const original = body[field] as Message[]
    const messages = mapItems(original, (message) => {
      if (message?.role !== 'assistant' || !Array.isArray(message.content)) return message
      const content = (message.content as Part[]).filter((part) => !isImage(part))
      return content.length === message.content.length ? message : { ...message, content }
    })
    if (messages === original) return body
    noteDropped(dropped, `${field}.${partType}`)
    const accepted = messages.filter((message, index) => message === original[index] || !isEmpty(message))
    if (accepted.length === 0) throw onlyImagesFault(field)
    return { ...body, [field]: accepted }
  }
}

function onlyImagesFault(field: string): Fault {
  const problem = 'have no content except images of the assistant, which this model does not accept'
  return new Fault('invalid', `${field}: ${problem}. Add a user message, or choose another model.`)
}

const isEmpty = (message: Message) => Array.isArray(message?.content) && message.content.length === 0
