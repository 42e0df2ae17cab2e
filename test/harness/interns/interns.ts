import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SseReader } from '#platform/net/sse.ts'
import type { TestService } from '../service/service.ts'
import { until } from '../until.ts'

type ServiceClient = Pick<TestService, 'ask'>

/** A running intern, as its record describes it. */
export async function runningIntern(service: ServiceClient, body: object = {}) {
  const created = await service.ask('POST', '/interns', { body: { name: 'ada', provision: true, ...body } })
  if (created.status !== 201) throw new Error(created.text)
  return untilIntern(service, created.body.id, 'running')
}

export function untilIntern(service: ServiceClient, id: string, status: string, withinMs?: number) {
  let lastRecord = ''
  const findWithStatus = async () => {
    const { body, text } = await service.ask('GET', `/interns/${id}`)
    lastRecord = text
    return body.status === status && body
  }
  return until(findWithStatus, withinMs, () => `to be ${status}, it is ${lastRecord}`)
}

export type InternReply = {
  status: number
  text: string
  finish: string | undefined
  sessionId: string | undefined
  /** The interaction at the end. */
  question:
    | {
        id: string
        arguments: { kind: string; operation?: string; options?: string[]; choices?: { id: string; kind: string }[] }
      }
    | undefined
  error: { code: number; message: string; metadata?: { reason: string } } | undefined
  chunks: any[]
}

type ReplyWithQuestion = Pick<InternReply, 'sessionId' | 'question'>

/**
 * Sends a prompt to an intern, by default in `manual` mode, and reads the whole reply.
 * @throws Error when the prompt is refused, or the reply ends in an error; `trySay` returns these instead.
 */
export async function say(
  service: ServiceClient,
  id: string,
  content: string,
  extraFields: object = {},
): Promise<InternReply> {
  return requireSuccess(await trySay(service, id, content, extraFields), content)
}

/**
 * Answers a question of an intern.
 * @throws Error as `say` does; `tryAnswer` returns errors instead.
 */
export async function answer(
  service: ServiceClient,
  id: string,
  question: ReplyWithQuestion,
  content: string,
): Promise<InternReply> {
  return requireSuccess(await tryAnswer(service, id, question, content), content)
}

export function trySay(
  service: ServiceClient,
  id: string,
  content: string,
  extraFields: object = {},
): Promise<InternReply> {
  return sendMessages(service, id, { approval_mode: 'manual', messages: [{ role: 'user', content }], ...extraFields })
}

export function tryAnswer(
  service: ServiceClient,
  id: string,
  question: ReplyWithQuestion,
  content: string,
): Promise<InternReply> {
  const message = { role: 'tool', tool_call_id: question.question?.id, content }
  return sendMessages(service, id, { session_id: question.sessionId, messages: [message] })
}

function requireSuccess(turn: InternReply, content: string): InternReply {
  if (turn.status === 200 && !turn.error) return turn
  throw new Error(`${JSON.stringify(content.slice(0, 200))} was answered ${turn.status} ${JSON.stringify(turn.error)}`)
}

async function sendMessages(service: ServiceClient, id: string, body: object): Promise<InternReply> {
  const reply = await service.ask('POST', `/interns/${id}/chat/completions`, { body: { stream: true, ...body } })
  const events = new SseReader().push(Buffer.from(reply.text))
  const chunks = events.flatMap(({ data }) => (data === '[DONE]' || !data ? [] : [JSON.parse(data)]))
  const deltas = chunks.flatMap(({ choices }) => choices.map((choice: { delta: object }) => choice.delta))
  const call = deltas.flatMap((delta) => delta.tool_calls ?? [])[0]
  return {
    status: reply.status,
    text: deltas.map((delta) => delta.content ?? '').join(''),
    finish: chunks.flatMap(({ choices }) => choices.map((choice: any) => choice.finish_reason)).findLast(Boolean),
    sessionId: chunks.at(-1)?.session_id,
    question: call && { id: call.id, arguments: JSON.parse(call.function.arguments) },
    error: reply.body?.error ?? chunks.find((chunk) => chunk.error)?.error,
    chunks,
  }
}

/** The process id of an intern's daemon on this host. */
export function daemonPid(dataDir: string, id: string): number {
  return JSON.parse(readFileSync(join(dataDir, 'interns', id, 'daemon.json'), 'utf8')).process.pid
}

export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
