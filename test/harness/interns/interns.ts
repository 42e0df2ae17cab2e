import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SseReader } from '#platform/net/sse.ts'
import type { TestService } from '../service/service.ts'
import { until } from '../until.ts'

type Asking = Pick<TestService, 'ask'>

/** A running intern, as its record describes it. */
export async function runningIntern(service: Asking, body: object = {}) {
  const made = await service.ask('POST', '/interns', { body: { name: 'ada', provision: true, ...body } })
  if (made.status !== 201) throw new Error(made.text)
  return untilIntern(service, made.body.id, 'running')
}

export function untilIntern(service: Asking, id: string, status: string, withinMs?: number) {
  let seen = ''
  const look = async () => {
    const { body, text } = await service.ask('GET', `/interns/${id}`)
    seen = text
    return body.status === status && body
  }
  return until(look, withinMs, () => `to be ${status}, it is ${seen}`)
}

export type Said = {
  status: number
  text: string
  finish: string | undefined
  sessionId: string | undefined
  /** The interaction at the end. */
  asked: { id: string; arguments: { kind: string; operation?: string; options?: string[] } } | undefined
  error: { code: number; message: string; metadata?: { reason: string } } | undefined
  chunks: any[]
}

type Asked = Pick<Said, 'sessionId' | 'asked'>

/**
 * Sends a prompt to an intern, by default in `manual` mode, and reads the whole reply.
 * @throws Error when the prompt is refused, or the reply ends in an error; `trySaying` returns these instead.
 */
export async function say(service: Asking, id: string, content: string, more: object = {}): Promise<Said> {
  return unlessFailed(await trySaying(service, id, content, more), content)
}

/**
 * Answers a question of an intern.
 * @throws Error as `say` does; `tryAnswering` returns errors instead.
 */
export async function answer(service: Asking, id: string, asked: Asked, content: string): Promise<Said> {
  return unlessFailed(await tryAnswering(service, id, asked, content), content)
}

export function trySaying(service: Asking, id: string, content: string, more: object = {}): Promise<Said> {
  return speak(service, id, { approval_mode: 'manual', messages: [{ role: 'user', content }], ...more })
}

export function tryAnswering(service: Asking, id: string, asked: Asked, content: string): Promise<Said> {
  const message = { role: 'tool', tool_call_id: asked.asked?.id, content }
  return speak(service, id, { session_id: asked.sessionId, messages: [message] })
}

function unlessFailed(said: Said, content: string): Said {
  if (said.status === 200 && !said.error) return said
  throw new Error(`${JSON.stringify(content.slice(0, 200))} was answered ${said.status} ${JSON.stringify(said.error)}`)
}

async function speak(service: Asking, id: string, body: object): Promise<Said> {
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
    asked: call && { id: call.id, arguments: JSON.parse(call.function.arguments) },
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
