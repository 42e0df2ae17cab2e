import type { UsageObject } from '../usage-formats.ts'
import type { Annotation } from './openai-responses-citations.ts'

/** The format of responses: the fields that are read. Servers can omit any field. `Part` is a part of the content of an item. */

export type UpstreamError = { code?: string | null; type?: string; message?: string }
export type Part = { type?: string; text?: string; refusal?: string; annotations?: Annotation[] | null }
export type Item = {
  type?: string
  id?: string
  call_id?: string
  name?: string
  namespace?: string
  arguments?: unknown
  input?: string
  result?: string | null
  output_format?: string
  content?: Part[] | string | null
  summary?: Part[] | null
  encrypted_content?: string | null
}
export type Response = {
  id?: string
  model?: string
  status?: string
  /** xAI's sources. */
  citations?: unknown
  output?: Item[]
  usage?: UsageObject | null
  service_tier?: string | null
  error?: UpstreamError | null
  incomplete_details?: { reason?: string } | null
}
export type Event = UpstreamError & {
  type?: string
  response?: Response
  item?: Item
  item_id?: string
  output_index?: number
  summary_index?: number
  content_index?: number
  delta?: string
  text?: string
  refusal?: string
  part?: Part
  arguments?: unknown
  input?: string
  name?: string
  call_id?: string
  annotation?: Annotation
  error?: UpstreamError
}
