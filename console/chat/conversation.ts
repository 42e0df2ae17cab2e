import { signal } from '@preact/signals'
import { open } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import type { ChatRequest } from '../api/types.ts'
import { asked, type Chunk, ended, type Reply, reasonIn, withChunk } from './reply.ts'
import { noSettings, requestFor, type Settings, type Turn } from './request.ts'
import { dataOf, piecesOf } from './sse.ts'

/** The conversation stays while one looks at other screens; it is nowhere but in this page. */
export const turns = signal<Turn[]>([])
export const settings = signal<Settings>(noSettings)
/** Messages of a request that is asked again. */
export const opening = signal<ChatRequest['messages']>([])
export const draft = signal('')
/** Pictures that go with it, as data URLs. */
export const pictures = signal<string[]>([])
/** How often a preset was saved here. The list of presets to ask is reloaded when it changes. */
export const timesSaved = signal(0)

/** Those under way. */
const leaving = new Set<AbortController>()
export const isBusy = signal(false)

/** Text is drawn so often at the most. */
const drawMs = 60
let nextTurn = 1

/** Says something to all of them at once. @throws Error when the settings cannot be sent. */
export function say(models: string[], said: string, images: string[]): void {
  const before = turns.peek()
  const turn: Turn = {
    id: nextTurn++,
    said,
    images,
    replies: Object.fromEntries(models.map((model) => [model, asked])),
  }
  const bodies = models.map((model) => bodyOf(model, before, turn))
  turns.value = [...before, turn]
  models.forEach((model, at) => void ask(turn.id, model, bodies[at]!))
}

/** Asks one of them once more for the same. */
export function askAgain(turnId: number, model: string): void {
  const all = turns.peek()
  const at = all.findIndex(({ id }) => id === turnId)
  const body = bodyOf(model, all.slice(0, at), all[at]!)
  put(turnId, model, asked)
  void ask(turnId, model, body)
}

const bodyOf = (model: string, before: Turn[], turn: Turn) =>
  requestFor(model, { turns: before, turn, opening: opening.peek(), settings: settings.peek() })

export function stop(): void {
  for (const controller of leaving) controller.abort()
}

/** Begins anew. @returns what brings back what was said so far; undefined where nothing was. */
export function clear(): (() => void) | undefined {
  const before = { turns: turns.peek(), opening: opening.peek(), settings: settings.peek() }
  stop()
  turns.value = []
  opening.value = []
  if (before.turns.length === 0) return undefined
  return () => {
    turns.value = [...before.turns.map(asStopped), ...turns.peek()]
    opening.value = before.opening
    settings.value = before.settings
  }
}

/** Whatever was on its way when the chat was left has not come. */
const asStopped = (turn: Turn): Turn => {
  const isComing = ({ state }: Reply) => state === 'waiting' || state === 'coming'
  const replies = Object.entries(turn.replies).map(([model, reply]) => [
    model,
    isComing(reply) ? { ...reply, state: 'stopped' } : reply,
  ])
  return { ...turn, replies: Object.fromEntries(replies) }
}

function put(turnId: number, model: string, reply: Reply): void {
  turns.value = turns
    .peek()
    .map((turn) => (turn.id === turnId ? { ...turn, replies: { ...turn.replies, [model]: reply } } : turn))
}

async function ask(turnId: number, model: string, body: ChatRequest): Promise<void> {
  const controller = new AbortController()
  leaving.add(controller)
  isBusy.value = true
  const started = performance.now()
  const ms = () => performance.now() - started
  let reply = asked
  let drawing: number | undefined
  const draw = () => {
    drawing = undefined
    put(turnId, model, reply)
  }
  try {
    const response = await open('POST /chat/completions', { body }, { signal: controller.signal })
    reply = { ...reply, generationId: response.headers.get('x-generation-id') ?? undefined }
    for await (const data of dataOf(piecesOf(response.body!))) {
      reply = withChunk(reply, JSON.parse(data) as Chunk, ms())
      drawing ??= window.setTimeout(draw, drawMs)
    }
    clearTimeout(drawing)
    put(turnId, model, ended(reply, ms()))
  } catch (error) {
    clearTimeout(drawing)
    const { message, requestId, metadata } = asFailure(error)
    const last = controller.signal.aborted
      ? { state: 'stopped' as const }
      : { state: 'failed' as const, failure: { message, reason: reasonIn(metadata), requestId } }
    put(turnId, model, { ...reply, ...last, totalMs: ms() })
  } finally {
    leaving.delete(controller)
    isBusy.value = leaving.size > 0
  }
}
