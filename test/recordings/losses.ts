import type { Protocol } from '#platform/core/vocabulary.ts'
import type { Plain } from './plain.ts'
import type { Recording } from './recordings.ts'

export type Difference = {
  recording: Recording
  client: Protocol
  stream: boolean
  part: keyof Plain
  got: Plain
  said: Plain
}

export type Loss = { parts: (keyof Plain)[]; why: string; where: (difference: Difference) => boolean }

/** Parts that are known to be lost, each with its reason. A difference without a row fails the test. */
export const losses: readonly Loss[] = [
  {
    parts: ['finish', 'prompt', 'completion', 'cached', 'reasoned'],
    why: 'An answer that breaks off ends with the error: what a provider says with it or after it is not read.',
    where: ({ said }) => said.error !== '',
  },
  {
    parts: ['text', 'reasoning', 'calls', 'signatures'],
    why: 'Whoever asked for a whole answer, and gets none, gets the error instead of half of it.',
    where: ({ said, stream }) => said.error !== '' && !stream,
  },
  {
    parts: ['citations'],
    why: 'Chats have citations of addresses only, and clients that refuse a whole answer for any other: files stay unnamed.',
    where: ({ client, said, got }) =>
      client === 'openai-chat' &&
      said.citations.length > 0 &&
      got.citations.length === 0 &&
      !said.citations.some(isAddress),
  },
  {
    parts: ['finish'],
    why: 'The provider never said why it ended, only that it did.',
    where: ({ said, got }) => said.finish === '' && got.finish === 'stop',
  },
]

export function lossOf(difference: Difference): Loss | undefined {
  return losses.find(({ parts, where }) => parts.includes(difference.part) && where(difference))
}

const isAddress = (source: string) => /^https?:/.test(source)
