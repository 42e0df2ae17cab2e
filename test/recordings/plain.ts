import { createHash } from 'node:crypto'

/** The content of a response, read directly from its protocol, without any code of the service. */
export type Plain = {
  text: string
  reasoning: string
  refusal: string
  /** Name and arguments of each call, in order. */
  calls: string[]
  finish: string
  prompt: number
  completion: number
  cached: number
  reasoned: number
  /** The addresses, and names of files, that were cited, each once. */
  citations: string[]
  /** A digest of each image. */
  images: string[]
  /** Parts of thoughts that a provider must get back. */
  signatures: string[]
  error: string
}

export const nothing = (): Plain => ({
  text: '',
  reasoning: '',
  refusal: '',
  calls: [],
  finish: '',
  prompt: 0,
  completion: 0,
  cached: 0,
  reasoned: 0,
  citations: [],
  images: [],
  signatures: [],
  error: '',
})

/** The events of a stream: every `data:` that is JSON. */
export function eventsOf(stream: string): any[] {
  return stream
    .split(/\r?\n\r?\n/)
    .map((block) => block.split(/\r?\n/).filter((line) => line.startsWith('data:')))
    .map((lines) => lines.map((line) => line.slice('data:'.length).trim()).join('\n'))
    .filter((data) => data !== '' && data !== '[DONE]')
    .map((data) => JSON.parse(data))
}

/** A call, however its arguments are spaced. */
export function callOf(name: string, args: unknown): string {
  return `${name} ${JSON.stringify(typeof args === 'string' ? parsed(args) : (args ?? {}))}`
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json || '{}')
  } catch {
    return json
  }
}

export function digestOf(base64: string): string {
  return createHash('sha256').update(base64).digest('hex').slice(0, 12)
}

export const once = (list: string[]) => [...new Set(list)]
