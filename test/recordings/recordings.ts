import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { Protocol } from '#platform/core/vocabulary.ts'

/** One exchange with a real provider; `request` is null where it was large, `answer` the body as it came. */
export type Recording = {
  name: string
  protocol: Protocol
  provider: string
  path: string
  status: number
  content_type: string | null
  request: Record<string, unknown> | null
  answer: string
}

const name = 'provider-recordings.jsonl.gz'
const beside = fileURLToPath(new URL('../../../shared/data/', import.meta.url))
const file = `${process.env.SIGNALBOX_TEST_DATA ?? beside}/${name}`

/** They are recorded in the test suite of pydantic-ai (MIT), and are not part of the checkout. */
export const noRecordings = existsSync(file)
  ? false
  : `the recordings are not at ${file}; SIGNALBOX_TEST_DATA names another folder`

export function readRecordings(): Recording[] {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Recording)
}

export function isStreamed({ content_type }: Recording): boolean {
  return content_type?.includes('event-stream') === true
}

/** The model that was asked, as the provider calls it. */
export function modelOf({ request, path }: Recording): string {
  const inPath = /\/models\/([^:]+):/.exec(path)?.[1]
  return inPath ?? (typeof request?.model === 'string' ? request.model : 'unknown')
}
