import { Fault } from '#platform/core/fault.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import { noteDropped } from './dropped-fields.ts'
import type { Repair } from './repair.ts'

type Part = { type?: unknown } | null
type Message = { role?: unknown; content?: unknown } | null

const onlyImages =
  'have no content except images of the assistant, which this model does not accept. Add a message of the user, or choose another model.'

/** Skips images in assistant messages. Anthropic and the responses of OpenAI accept images only from users and tools. */
export function skipAnswerImages(list: 'messages' | 'input', imageType: string): Repair {
  const isImage = (part: Part) => part?.type === imageType
  return (body, dropped) => {
    if (!Array.isArray(body[list])) return body
    const original = body[list] as Message[]
    const messages = mapItems(original, (message) => {
      if (message?.role !== 'assistant' || !Array.isArray(message.content)) return message
      const content = (message.content as Part[]).filter((part) => !isImage(part))
      return content.length === message.content.length ? message : { ...message, content }
    })
    if (messages === original) return body
    noteDropped(dropped, `${list}.${imageType}`)
    const accepted = messages.filter((message, at) => message === original[at] || !isEmpty(message))
    if (accepted.length === 0) throw new Fault('invalid', `${list}: ${onlyImages}`)
    return { ...body, [list]: accepted }
  }
}

const isEmpty = (message: Message) => Array.isArray(message?.content) && message.content.length === 0
