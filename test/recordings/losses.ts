import type { Protocol } from '#platform/core/vocabulary.ts'
import type { Plain } from './plain.ts'
import type { Recording } from './recordings.ts'

type Difference = {
  recording: Recording
  client: Protocol
  stream: boolean
  part: keyof Plain
  result: Plain
  reply: Plain
}

export type Loss = { parts: (keyof Plain)[]; why: string; where: (difference: Difference) => boolean }

/** Parts that are known to be lost, each with its reason. A difference without a row fails the test. */
export const losses: readonly Loss[] = [
  {
    parts: ['finish', 'prompt', 'completion', 'cached', 'reasoned'],
    why: 'A response that breaks off ends with the error: what a provider says with it or after it is not read.',
    where: ({ reply }) => reply.error !== '',
  },
  {
    parts: ['text', 'reasoning', 'calls', 'signatures'],
    why: 'Whoever asked for a whole response, and gets none, gets the error instead of half of it.',
    where: ({ reply, stream }) => reply.error !== '' && !stream,
  },
  {
    parts: ['citations'],
    why: 'Chats have citations of addresses only, and clients that refuse a whole response for any other: files stay unnamed.',
    where: ({ client, reply, result }) =>
      client === 'openai-chat' &&
      reply.citations.length > 0 &&
      result.citations.length === 0 &&
      !reply.citations.some(isAddress),
  },
  {
    parts: ['finish', 'error'],
    why: 'A response that is still queued is no response, so another endpoint is tried: background mode is refused.',
    where: ({ recording }) => /^\s*\{.*"status":\s*"queued"/s.test(recording.answer),
  },
  {
    parts: ['finish'],
    why: 'The provider never said why it ended, only that it did.',
    where: ({ reply, result }) => reply.finish === '' && result.finish === 'stop',
  },
]

export function lossOf(difference: Difference): Loss | undefined {
  return losses.find(({ parts, where }) => parts.includes(difference.part) && where(difference))
}

const isAddress = (source: string) => /^https?:/.test(source)
